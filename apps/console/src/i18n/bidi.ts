/** Marks that turn the direction of the text around them, U+202E first of all, or end an isolation early. */
const turns = /\p{Bidi_Control}/gu;
const rightToLeft = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u;
const visible = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

export function removeBidiControls(text: string): string {
  return text.replace(turns, '');
}

/** A foreign text that leaves the sentence around it as it is, whichever way it is written. */
export function isolateBidi(text: string): string {
  const plain = removeBidiControls(text);
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** False for a name of spaces, controls and other characters without a shape. */
export function isVisible(text: string): boolean {
  return visible.test(text);
}
