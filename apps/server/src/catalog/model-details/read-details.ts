/** Reads a list of details. An entry that is not right is left out whole and told. */
import { isDeepStrictEqual } from 'node:util';
import type { ForeignSource } from '@switchyard/contract/catalog/catalogue';
import {
  IMPORT_MAX,
  type ImportProblem,
  modelDetail,
  type ReadDetails,
} from '@switchyard/contract/catalog/model-details';
import { isObject } from '@switchyard/relay/json';
import type { Context } from '../../context.ts';
import { fieldError } from '../../platform/http/app-error.ts';
import { readForeign } from '../catalogue/catalogue.ts';
import { loadDetails } from '../models/models.ts';

/** Our exports, answers of a management API, and bare lists. @throws AppError at the field that the list came by */
export async function readDetails(ctx: Context, source: ForeignSource): Promise<ReadDetails> {
  const items = itemsOf(await readForeign(ctx, source));
  if (items === undefined) throw fieldError(source.from, 'unknown-list', 'This is not a list of models');
  if (items.length === 0) throw fieldError(source.from, 'empty-list', 'The list contains no models');
  if (items.length > IMPORT_MAX)
    throw fieldError(source.from, 'list-too-long', `The list has more than ${IMPORT_MAX} entries`);
  const present = await loadDetails(ctx);
  const entries: ReadDetails['entries'] = [];
  const problems: ImportProblem[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const fields = ourFields(isObject(item) ? item : {});
    const name = typeof fields['model'] === 'string' ? fields['model'].slice(0, 128) : '';
    const refuse = (path: string, rule: string, message: string) =>
      problems.push({ index, model: name, path, rule, message });
    const parsed = modelDetail.safeParse(fields);
    if (!parsed.success) {
      for (const issue of parsed.error.issues)
        refuse(issue.path.join('.'), fields['model'] === undefined ? 'required' : issue.code, issue.message);
      continue;
    }
    const { model, ...facts } = parsed.data;
    if (seen.has(model)) refuse('model', 'already-exists', 'This name appears more than once');
    else if (Object.keys(facts).length === 0)
      refuse('', 'required', 'At least one detail of the model is required');
    else entries.push({ detail: parsed.data, state: stateOf(present.get(model), facts) });
    seen.add(model);
  }
  return { entries, problems };
}

function stateOf(before: object | undefined, facts: object): 'new' | 'other' | 'same' {
  if (before === undefined) return 'new';
  return isDeepStrictEqual(before, facts) ? 'same' : 'other';
}

function itemsOf(list: unknown): readonly unknown[] | undefined {
  if (Array.isArray(list)) return list;
  if (!isObject(list)) return undefined;
  return [list['data'], list['models']].find((value) => Array.isArray(value));
}

/** One Hub's names of fields whose meaning is ours. */
const otherNames: Readonly<Record<string, string>> = {
  max_tokens: 'output_max',
  input_modalities: 'input',
  output_modalities: 'output',
};

/** Maps an item to our field names, and drops empty values: One Hub writes 0, an empty text or list. */
function ourFields(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = Object.entries(item).map(([name, value]) => [otherNames[name] ?? name, value] as const);
  return Object.fromEntries(fields.filter(([, value]) => !isNothing(value)));
}

function isNothing(value: unknown): boolean {
  return value === null || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);
}
