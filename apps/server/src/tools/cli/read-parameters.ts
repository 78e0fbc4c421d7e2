import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Parses the parameters after a command's name.
 * @throws with a sentence for the person who typed it
 */
export function readParameters<const O extends Options>(
  parameters: readonly string[],
  options: O,
  positionalsMax: number,
) {
  const parsed = parseArgs({ args: [...parameters], options, allowPositionals: true, strict: true });
  const extra = parsed.positionals[positionalsMax];
  if (extra !== undefined) throw new Error(`Unexpected argument “${extra}”`);
  return parsed;
}
