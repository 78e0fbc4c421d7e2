/**
 * Validates an input file: a batch with any invalid line doesn't run. https://platform.openai.com/docs/guides/batch
 */
import {
  type BatchInputError,
  type BatchRequest,
  type LineSource,
  parseLine,
  processLine,
  readInputLines,
  UnreadableInputError,
} from './input-lines.ts';

export const LINES_MAX = 50_000;
/** Maximum number of reported errors; further ones usually repeat the first. */
const PROBLEMS_MAX = 100;

export type InputValidation = { total: number; model: string } | { problems: BatchInputError[] };

interface Terms {
  endpoint: string;
  lineMaxBytes: number;
  signal: AbortSignal;
}

/** @throws when the signal aborts, or the file cannot be read */
export async function validateInput(
  source: LineSource,
  { endpoint, lineMaxBytes, signal }: Terms,
): Promise<InputValidation> {
  const problems: BatchInputError[] = [];
  const known = new Set<string>();
  let total = 0;
  let model = '';
  try {
    for await (const inputLine of readInputLines(source.path, lineMaxBytes)) {
      signal.throwIfAborted();
      total += 1;
      if (total > LINES_MAX || problems.length === PROBLEMS_MAX) break;
      const line = await processLine(source, inputLine, parseLine);
      const found = 'code' in line ? line : validateRequest(line, endpoint, known, model);
      if (found !== undefined) problems.push({ ...found, line: inputLine.number });
      if ('code' in line) continue;
      known.add(line.customId);
      if (model === '' && typeof line.body['model'] === 'string') model = line.body['model'];
    }
  } catch (error) {
    if (!(error instanceof UnreadableInputError)) throw error;
    problems.push(error.inputError);
  }
  if (total > LINES_MAX)
    problems.push(createFileError('too_many_requests', `A batch has at most ${LINES_MAX} requests.`));
  if (total === 0 && problems.length === 0) problems.push(createFileError('empty_file', 'The file has no requests.'));
  return problems.length > 0 ? { problems } : { total, model };
}

function validateRequest(
  { customId, method, url, body }: BatchRequest,
  endpoint: string,
  known: ReadonlySet<string>,
  model: string,
): Omit<BatchInputError, 'line'> | undefined {
  const problem = (code: string, message: string, param: string) => ({ code, message, param });
  if (known.has(customId)) return problem('duplicate_custom_id', 'Another line has the same custom_id.', 'custom_id');
  if (method !== 'POST') return problem('invalid_method', 'method must be "POST".', 'method');
  if (url !== endpoint) return problem('invalid_url', `url must be the batch’s endpoint, "${endpoint}".`, 'url');
  if (typeof body['model'] !== 'string' || body['model'] === '')
    return problem('missing_required_parameter', 'body.model must name a model.', 'model');
  if (model !== '' && body['model'] !== model)
    return problem('mismatched_model', 'All lines of a batch must name the same model.', 'model');
  for (const name of ['stream', 'background'])
    if (body[name] === true) return problem('invalid_parameter', `${name} is not supported in a batch.`, name);
  return undefined;
}

function createFileError(code: string, message: string): BatchInputError {
  return { code, message, param: null, line: null };
}
