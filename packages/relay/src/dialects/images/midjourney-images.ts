import { describeValue } from '../../json/describe-value.ts';
import { type JsonObject, textOf } from '../../json/json.ts';
import type { PendingResponse } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { ImagesRequest } from '../../model/neutral-requests.ts';
import { isInProgress, parseTaskStatus } from '../../model/parse-task-status.ts';
import { parseTaskId } from '../../model/task-and-call-ids.ts';
import type { TaskStatus } from '../../model/task-types.ts';
import { pickDefinedFields, pushDroppedFields } from '../../translate/pick-fields.ts';
import {
  createImageDialect,
  dropImageFields,
  filteredImageError,
  findNearestRatio,
  missingImageError,
  requireSingleImage,
} from './image-dialect.ts';
import { BANNED_PROMPT, isRefusalCode, kindByCode, stripPaidParameters } from './midjourney-submissions.ts';

const WAIT_MS = 2_000;
const ratios = '1:1 16:9 9:16 4:3 3:4 3:2 2:3 4:5 5:4 21:9 9:21'.split(' ');
/** Speed and bot. Any other name could have the price of one speed and the words of another. */
const modelName = /^mj_(?:(fast|relax|turbo)_)?(imagine|niji)$/;
const filterWords = /banned|sensitive|moderat|blocked|invalid link|敏感|违规|封禁/i;

/**
 * Midjourney through a midjourney-proxy: a task submission, then polling until the grid of four images is ready.
 * https://github.com/novicezk/midjourney-proxy
 */
export const midjourneyImages = createImageDialect({
  id: 'midjourney-images',
  encodeRequest,
  readPending,
  listImages: (task) => (readState(task) === 'succeeded' ? [textOf(task['imageUrl']) ?? []].flat() : []),
  findError({ code, failReason }, images) {
    if (images.length > 0) return undefined;
    if (code === BANNED_PROMPT || filterWords.test(textOf(failReason) ?? ''))
      return filteredImageError('prompt was rejected');
    return missingImageError(kindByCode.get(code));
  },
});

function readPending({ code, result, ...task }: JsonObject): PendingResponse | undefined {
  if (isInProgress(task['status']) || lacksImage(task)) return { waitMs: WAIT_MS };
  const id = parseTaskId(result);
  if (id === undefined || isRefusalCode(code)) return undefined;
  return { at: `/mj/task/${id}/fetch`, waitMs: WAIT_MS };
}

/** Returns whether the task has succeeded without an image yet: the proxy reports the success before the URL. */
function lacksImage(task: JsonObject): boolean {
  return readState(task) === 'succeeded' && textOf(task['imageUrl']) === undefined;
}

function readState({ status: word, progress, failReason: failure }: JsonObject): TaskStatus | undefined {
  return parseTaskStatus({ word, progress, failure });
}

function encodeRequest(asked: ImagesRequest, model: string, dropped: string[]): Record<string, unknown> {
  requireSingleImage(asked, 'image grid');
  dropImageFields(asked, ['quality', 'style', 'background', 'output_format', 'response_format', 'size'], dropped);
  pushDroppedFields(asked.more, dropped);
  const [, mode, bot] = modelName.exec(model) ?? [];
  if (bot === undefined)
    throw new InvalidRequestError(
      `The model ${describeValue(model)} is not one of Midjourney's. Use mj_imagine, mj_niji, or a speed such as mj_turbo_imagine.`,
      'model',
    );
  return pickDefinedFields({
    botType: bot === 'niji' ? 'NIJI_JOURNEY' : 'MID_JOURNEY',
    prompt: buildPrompt(asked, dropped),
    accountFilter: mode && { modes: [mode.toUpperCase()] },
  });
}

/** Builds the prompt without speed parameters: the model's name alone determines the speed, and so the price. */
function buildPrompt(asked: ImagesRequest, dropped: string[]): string {
  const prompt = stripPaidParameters(asked.prompt);
  if (prompt !== asked.prompt) dropped.push('prompt.parameters');
  const ratio = findNearestRatio(asked, ratios);
  return ratio === undefined || /--(?:ar|aspect)\b/.test(prompt) ? prompt : `${prompt} --ar ${ratio}`;
}
