/** Matches characters that control a terminal or the direction of its text, except line breaks and tabs. */
const CONTROL_CHARACTERS = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Escapes a text that comes from a file or from another server, so that it cannot control the reader's terminal. */
export function escapeControlCharacters(text: string): string {
  return text.replace(
    CONTROL_CHARACTERS,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
