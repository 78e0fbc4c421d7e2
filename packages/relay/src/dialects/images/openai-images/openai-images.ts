import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { Dialect, StreamTap } from '../../../model/format.ts';
import type { FormatId } from '../../../model/format-id.ts';
import { InvalidRequest } from '../../../model/invalid-request.ts';
import { emptyUsage, type Usage } from '../../../model/usage.ts';
import { estimatePrompt } from '../../../tokens/estimate.ts';
import { sizesOfFiles } from '../../../translate/form-request.ts';
import { readChoices, readInteger, requireText } from '../../../translate/request-fields.ts';
import { withModel } from '../../openai/model-and-stream.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../../openai/openai-errors.ts';
import { pictureTokens, pictureVariant } from '../image-kind.ts';
import { pictureUsage } from '../image-usage.ts';
import { imagesSurface } from './images-surface.ts';

const PARTIAL_IMAGES_MAX = 10;
/** Input tokens of an image for gpt-image-1, by default and with high `input_fidelity`. */
const INPUT_TOKENS = 323;
const FAITHFUL_INPUT_TOKENS = 6_144;

const eventTypes = ['image_generation.', 'image_edit.'].map((start) => ['type', start] as const);

/** `/v1/images/generations`, from words alone. https://platform.openai.com/docs/api-reference/images */
export const openaiImages: Dialect = {
  ...imagesDialect('openai-images', (body) => {
    requireText(body, 'prompt');
  }),
  asks: { images: imagesSurface },
};

/** `/v1/images/edits`: pictures as files of a form, or by address in JSON. */
export const openaiImageEdits = imagesDialect('openai-image-edits', (body) => {
  requireText(body, 'prompt');
  requirePicture(body);
});

/** `/v1/images/variations`, which OpenAI has retired and others have not. */
export const openaiImageVariations = imagesDialect('openai-image-variations', requirePicture);

function imagesDialect(id: FormatId, check: (body: JsonObject) => void): Dialect {
  return {
    id,
    operation: 'images',
    readFacts(body) {
      check(body);
      const image = readChoices(body, 'n');
      const partials = readInteger(body, 'partial_images', 0, PARTIAL_IMAGES_MAX) ?? 0;
      const usage = {
        ...emptyUsage(),
        image,
        imageVariant: pictureVariant(body, {}),
        imageInput: inputTokens(body),
        imageOutput: image * pictureTokens(body, partials),
      };
      return {
        hasTools: false,
        maxOutputTokens: usage.imageOutput / image,
        choices: image,
        // Pictures by address may be data URLs, which are no words.
        inputTokensEstimate: estimatePrompt({ prompt: body['prompt'] }, ''),
        expected: { unit: 'image', usage, isCounted: true },
      };
    },
    prepare: withModel,
    tap: {
      watch: {
        content: [],
        binary: ['b64_json', 'url'],
        notable: ['usage'],
        notableValues: eventTypes,
      },
      endsWithDone: true,
      create: (request, choices) => new ImagesTap(request, choices),
    },
    readWhole(answer, _lost, request) {
      const binaries = seenIn(answer);
      return { usage: pictureUsage(request, answer, binaries.length), content: [], binaries };
    },
    completeAnswer: (answer) =>
      Array.isArray(answer['data']) ? answer : { ...answer, data: listOf(picturesOf(answer)) },
    resultCount: (answer) => seenIn(answer).length,
    expectedResults: () => ({ least: 1, most: Number.POSITIVE_INFINITY }),
    encodeError: encodeOpenaiError,
    encodeStreamError: encodeOpenaiStreamError,
  };
}

/** Returns the bytes or the address of each picture. A picture that cannot be seen is none. */
function seenIn(answer: JsonObject): string[] {
  const pictures = listOf(picturesOf(answer)).map(objectOf);
  return pictures.flatMap((picture) => textOf(picture['b64_json']) ?? textOf(picture['url']) ?? []);
}

/** SiliconFlow has another name for them. */
function picturesOf(answer: JsonObject): unknown {
  return Array.isArray(answer['data']) ? answer['data'] : answer['images'];
}

function requirePicture(body: JsonObject): void {
  const image = body['image'] ?? body['images'] ?? undefined;
  if (image === undefined) throw new InvalidRequest('Missing required parameter: image.', 'image');
}

function inputTokens(body: JsonObject): number {
  const files = ['image', 'mask'].flatMap((field) => sizesOfFiles(body[field])).length;
  const pictures = files + listOf(body['images']).length;
  return pictures * (body['input_fidelity'] === 'high' ? FAITHFUL_INPUT_TOKENS : INPUT_TOKENS);
}

class ImagesTap implements StreamTap {
  usage: Usage | undefined;
  #completed = 0;
  readonly #request: JsonObject;
  readonly #asked: number;

  constructor(request: JsonObject, asked: number) {
    this.#request = request;
    this.#asked = asked;
  }

  get finished(): boolean {
    return this.#completed >= this.#asked;
  }

  note(event: JsonObject): boolean {
    const type = textOf(event['type']) ?? '';
    if (type.endsWith('.completed')) this.#completed++;
    else if (this.#completed > 0 || !type.endsWith('.partial_image')) return true;
    // An unfinished picture that was delivered is one, should no finished one follow.
    this.usage = pictureUsage(this.#request, event, Math.max(1, this.#completed));
    return true;
  }
}
