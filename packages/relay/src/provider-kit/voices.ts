/** Voices have other names at each vendor; clients know OpenAI's. */
import type { ProviderField, Target } from '../model/provider.ts';

/** An operator's own choice, which wins over ours. */
export const voicesOption: ProviderField = {
  name: 'voices',
  required: false,
  placeholder: 'alloy=…, nova=…',
};

/**
 * Returns the vendor's name of a voice; an unknown name is taken as the vendor's own.
 * @param usual of the vendor's, by OpenAI's names
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
