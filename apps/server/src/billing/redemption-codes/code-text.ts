/** The text of a code. It is typed by hand from paper: no two letters look alike, and it stands in groups. */
import { randomBytes } from 'node:crypto';

/** 32 letters, 5 bits each: 150 bits, of which lists show 20. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 30;
const GROUP = /.{5}/g;
const HINT_LENGTH = 4;

export function generateCode(prefix: string): string {
  // 32 letters divide the 256 values of a byte evenly.
  const letters = Array.from(randomBytes(LENGTH), (byte) => LETTERS.charAt(byte % 32)).join('');
  const groups = letters.match(GROUP) ?? [];
  const front = prefix === '' || prefix.endsWith('-') ? prefix : `${prefix}-`;
  return front + groups.join('-');
}

/** The same for everything that somebody may type who has this code: small letters, full-width ones, blanks, dashes. */
export function normalizeCode(typed: string): string {
  return typed
    .normalize('NFKC')
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .toUpperCase();
}

export function createCodeHint(text: string): string {
  return `…${text.slice(-HINT_LENGTH)}`;
}
