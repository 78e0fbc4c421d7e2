/** Mapping from OpenAI's voice names, which clients use, to vendors' names. */
import type { ProviderField, Target } from '../model/provider.ts';

/** Operator's mapping, which takes precedence over the default. */
export const voicesOption: ProviderField = { name: 'voices', required: false, placeholder: 'alloy=…, nova=…' };

/**
 * Returns the vendor's name of a voice; an unknown name is passed on as the vendor's own.
 * @param usual default mapping by OpenAI's names
 */
export function mapVoice(
  { options }: Pick<Target, 'options'>,
  asked: string,
  usual: Readonly<Record<string, string>>,
): string {
  const pairs = (options['voices'] ?? '').split(/[,;\n]/).map((pair) => pair.split('='));
  const own = pairs.find(([name = '', voice]) => name.trim() === asked && voice !== undefined)?.[1]?.trim();
  return own || (Object.hasOwn(usual, asked) ? usual[asked] : undefined) || asked;
}
