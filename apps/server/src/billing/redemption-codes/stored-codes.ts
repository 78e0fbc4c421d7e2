/** Storage of codes: a keyed hash, by which a typed code is found, and the sealed text, so that it can be exported. */
import type { Context } from '../../context.ts';
import { createCodeHint, normalizeCode } from './code-text.ts';

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
