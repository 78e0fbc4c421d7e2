import { garbledError } from '../../errors/upstream-error.ts';
import { type JsonObject, textsIn } from '../../json/json.ts';
import type { PendingResponse } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { ImagesRequest } from '../../model/neutral-requests.ts';
import { isInProgress } from '../../model/parse-task-status.ts';
import { parseTaskId } from '../../model/task-and-call-ids.ts';
import { pickDefinedFields, pickUncoveredFields } from '../../translate/pick-fields.ts';
import { createImageDialect, dropImageFields, findNearestRatio } from './image-dialect.ts';

const WAIT_MS = 1_000;
const ratios = '1:1 16:9 9:16 4:3 3:4 3:2 2:3 4:5 5:4 21:9 9:21'.split(' ');
/** Fields that affect an image's price; the client sets them by its own names only. */
const priced = new Set(['num_outputs']);
const plainId = /^\w{1,64}$/;

/** Images of Replicate's models. https://replicate.com/docs/reference/http#models.predictions.create */
export const replicateImages = createImageDialect({
  id: 'replicate-images',
  encodeRequest,
  readPending,
  listImages: ({ output }) => textsIn([output].flat()).filter((text) => /^(https?:|data:)/.test(text)),
  findError: (_answer, images) => (images.length === 0 ? garbledError('The upstream returned no image.') : undefined),
});

/** Returns where to poll. Replicate holds a request for a minute; slower predictions require polling. */
function readPending({ id, status }: JsonObject): PendingResponse | undefined {
  const name = parseTaskId(id, plainId);
  if (!isInProgress(status) || name === undefined) return undefined;
  return { at: `/v1/predictions/${name}`, waitMs: WAIT_MS };
}

/** Returns the path of `owner/name`, or of `owner/name:version` for community models. @throws InvalidRequestError */
export function toReplicatePath(model: string): string {
  const [owner = '', name = '', ...others] = (model.split(':')[0] ?? '').split('/');
  if (others.length > 0 || [owner, name].some((part) => /^\.{0,2}$/.test(part)))
    throw new InvalidRequestError('The model name must have the form owner/name.', 'model');
  return model.includes(':')
    ? '/v1/predictions'
    : `/v1/models/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/predictions`;
}

/** Encodes a request. Each model has its own fields, so that unknown fields are passed on. */
function encodeRequest(asked: ImagesRequest, model: string, dropped: string[]): Record<string, unknown> {
  const { prompt, count, fileFormat, more } = asked;
  dropImageFields(asked, ['quality', 'style', 'background', 'response_format', 'size'], dropped);
  for (const name of Object.keys(more)) if (priced.has(name)) dropped.push(name);
  return pickDefinedFields({
    // The version alone could be another model's than the one that prices match.
    version: model.includes(':') ? model : undefined,
    input: pickDefinedFields({
      prompt,
      num_outputs: count === 1 ? undefined : count,
      aspect_ratio: findNearestRatio(asked, ratios),
      output_format: fileFormat === 'jpeg' ? 'jpg' : fileFormat,
      ...pickUncoveredFields(priced, more),
    }),
  });
}
