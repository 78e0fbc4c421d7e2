/** Storage of codes: a keyed hash, by which a typed code is found, and the sealed text, so that it can be exported. */
import type { Context } from '../../context.ts';
import { bareCode, codeHint } from './code-text.ts';

type Vaulted = Pick<Context, 'vault'>;

export function hashOfCode({ vault }: Vaulted, typed: string): string {
  return vault.fingerprint(bareCode(typed));
}

export function codeColumns(ctx: Vaulted, text: string) {
  const code_hash = hashOfCode(ctx, text);
  return {
    code_hash,
    code_sealed: ctx.vault.seal('redemption-code', rowName(code_hash), text),
    hint: codeHint(text),
  };
}

export function openCode(
  { vault }: Vaulted,
  { code_hash, code_sealed }: { code_hash: string; code_sealed: string },
): string {
  return vault.open('redemption-code', rowName(code_hash), code_sealed);
}

const rowName = (codeHash: string): string => `redemption_code:${codeHash}`;
