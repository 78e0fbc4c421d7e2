/** Control characters that change the direction of surrounding text (U+202E) or end an isolation early. */
const turns = /\p{Bidi_Control}/gu;
const rightToLeft = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u;
const visible = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

export function removeBidiControls(text: string): string {
  return text.replace(turns, '');
}

/** Isolates foreign text, so that its direction does not affect the surrounding text. */
export function isolateBidi(text: string): string {
  const plain = removeBidiControls(text);
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** Returns whether the text has a visible character; spaces and control characters have none. */
export function isVisible(text: string): boolean {
  return visible.test(text);
}
