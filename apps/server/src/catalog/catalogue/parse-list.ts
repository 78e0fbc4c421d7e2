import { DEPTH_MAX, isDeeperThan } from '@switchyard/relay/json';
import { fieldError } from '../../platform/http/app-error.ts';

/** @param field of the form that the list came by, for refusals. @throws AppError when it is no JSON, or nested too deep */
export function parseList(text: string, field: string): unknown {
  let list: unknown;
  try {
    list = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // It quotes the list, which may be anything that answered at the address.
    const where = /position \d+(?: \(line \d+ column \d+\))?/.exec(
      error instanceof Error ? error.message : '',
    );
    throw fieldError(field, 'bad-json', `This is not valid JSON${where === null ? '' : `: see ${where[0]}`}`);
  }
  if (isDeeperThan(DEPTH_MAX, list))
    throw fieldError(field, 'bad-json', `The list is nested deeper than ${DEPTH_MAX} levels`);
  return list;
}
