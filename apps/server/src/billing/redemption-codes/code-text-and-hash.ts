/** Text of a code. It is typed by hand from paper, so it avoids similar characters and is grouped. */

import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';

/** 32 characters, 5 bits each: 150 bits, of which lists show 20. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 30;
const GROUP = /.{5}/g;
const HINT_LENGTH = 4;

export function generateCode(prefix: string): string {
  // 32 divides the 256 values of a byte evenly, so there is no bias.
  const letters = Array.from(randomBytes(LENGTH), (byte) => LETTERS.charAt(byte % 32)).join('');
  const groups = letters.match(GROUP) ?? [];
  const front = prefix === '' || prefix.endsWith('-') ? prefix : `${prefix}-`;
  return front + groups.join('-');
}

/** Normalizes what a user may type for a code: lower case, full-width characters, blanks, dashes. */
export function normalizeCode(typed: string): string {
  return typed
    .normalize('NFKC')
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .toUpperCase();
}

export function createCodeHint(text: string): string {
  return `…${text.slice(-HINT_LENGTH)}`;
}

/** Storage of codes: a keyed hash for the lookup, and the sealed text for exports. */

type VaultContext = Pick<Context, 'vault'>;

export function hashCode({ vault }: VaultContext, typed: string): string {
  return vault.fingerprint(normalizeCode(typed));
}

export function buildCodeColumns(ctx: VaultContext, text: string) {
  const code_hash = hashCode(ctx, text);
  return {
    code_hash,
    code_sealed: ctx.vault.seal('redemption-code', rowName(code_hash), text),
    hint: createCodeHint(text),
  };
}

export function openCode(
  { vault }: VaultContext,
  { code_hash, code_sealed }: { code_hash: string; code_sealed: string },
): string {
  return vault.open('redemption-code', rowName(code_hash), code_sealed);
}

const rowName = (codeHash: string): string => `redemption_code:${codeHash}`;
