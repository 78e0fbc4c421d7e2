import { garbledError } from '../../errors/upstream-error.ts';
import { readChoices, readInteger, requireText } from '../../exchange/check-request-fields.ts';
import { describeValue } from '../../json/describe-value.ts';
import { type JsonObject, listOf, numberOf, objectOf, objectsIn, textOf } from '../../json/json.ts';
import type { ExpectedUsage } from '../../model/client-request.ts';
import type { ClientCodec, Dialect, UsageExtractor } from '../../model/dialect.ts';
import type { DialectId } from '../../model/dialect-id.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { GeneratedImage, ImagesRequest } from '../../model/neutral-requests.ts';
import { emptyUsage, mergeReports, toTokenCount, type Usage } from '../../model/usage.ts';
import { estimatePrompt } from '../../tokens/estimate-prompt-tokens.ts';
import { pickUncoveredFields, setModel } from '../../translate/pick-fields.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../openai/openai-errors.ts';
import { estimateImageTokens, estimateInputImageTokens, readImageUsage } from './image-usage.ts';
import {
  checkImageVariant,
  countPixels,
  listImageVariants,
  nameImageSize,
  resolveImageVariant,
} from './image-variants.ts';

const covered = new Set(
  'model prompt n size quality style output_format background response_format user stream'.split(' '),
);
const fileFormats: ReadonlyMap<unknown, ImagesRequest['fileFormat']> = new Map(
  (['png', 'jpeg', 'webp'] as const).map((format) => [format, format]),
);
const deliveries: ReadonlyMap<unknown, ImagesRequest['delivery']> = new Map(
  [
    ['url', 'url'],
    ['b64_json', 'base64'],
  ] as const, // prettier-ignore
);
/** Maximum digits of a side; no vendor generates larger images. */
const sizePattern = /^(\d{2,5})x(\d{2,5})$/;

/** Codec of text-to-image requests for upstreams with another dialect. */
const imagesCodec: ClientCodec<ImagesRequest, readonly GeneratedImage[]> = {
  decodeRequest(request, _client, dropped) {
    const body = nameImageSize(request, dropped);
    if (body['stream'] === true)
      throw new InvalidRequestError('This model does not stream images. Omit stream, or set it to false.', 'stream');
    return {
      prompt: requireText(body, 'prompt'),
      count: readChoices(body, 'n'),
      size: parseSize(textOf(body['size'])),
      quality: readChoice(body['quality']),
      style: readChoice(body['style']),
      background: readChoice(body['background']),
      fileFormat: fileFormats.get(body['output_format']),
      delivery: deliveries.get(body['response_format']),
      more: pickUncoveredFields(covered, body),
    };
  },
  encodeResponse(pictures) {
    if (pictures.length === 0) throw garbledError('The upstream returned no image.');
    return {
      created: Math.floor(Date.now() / 1000),
      data: pictures.map((picture) => ('url' in picture ? picture : { b64_json: picture.base64 })),
    };
  },
};

function readChoice(value: unknown): string | undefined {
  const text = textOf(value);
  return text === 'auto' ? undefined : text;
}

/** @throws InvalidRequestError */
function parseSize(size: string | undefined): ImagesRequest['size'] {
  if (size === undefined || size === 'auto') return undefined;
  const [, width, height] = sizePattern.exec(size) ?? [];
  if (width === undefined || height === undefined)
    throw new InvalidRequestError(
      `size must be WIDTHxHEIGHT, such as 1024x1024, or auto, not ${describeValue(size)}.`,
      'size',
    );
  return { width: Number(width), height: Number(height) };
}

const PARTIAL_IMAGES_MAX = 10;
/** Maximum, and default, of related images. */
const SEQUENCE_MAX = 15;

const eventTypes = ['image_generation.', 'image_edit.'].map((start) => ['type', start] as const);

/** `/v1/images/generations`, text to image. https://platform.openai.com/docs/api-reference/images */
export const openaiImages: Dialect = {
  ...createImagesDialect('openai-images', (body) => {
    requireText(body, 'prompt');
  }),
  clientCodecs: { images: imagesCodec },
};

/** `/v1/images/edits`: images as form files, or by URL in JSON. */
export const openaiImageEdits = createImagesDialect('openai-image-edits', (body) => {
  requireText(body, 'prompt');
  requireImage(body);
});

/** `/v1/images/variations`, which OpenAI has retired and others still offer. */
export const openaiImageVariations = createImagesDialect('openai-image-variations', requireImage);

function createImagesDialect(id: DialectId, check: (body: JsonObject) => void): Dialect {
  return {
    id,
    operation: 'images',
    readFacts(request) {
      check(request);
      const body = nameImageSize(request);
      checkImageVariant(body);
      const images = expectImages(body);
      const { usage } = images;
      return {
        hasTools: false,
        maxOutputTokens: usage.imageOutput / usage.image,
        choices: readChoices(body, 'n'),
        // Images by URL may be data URLs, which are not text.
        inputTokensEstimate: estimatePrompt({ prompt: body['prompt'] }, ''),
        expected: { unit: 'image', ...images, isCounted: true },
      };
    },
    prepare: (body, { model, dropped }) => setModel(nameImageSize(body, dropped), { model }),
    usageExtractor: {
      watch: { content: [], binary: ['b64_json', 'url'], notable: ['usage'], notableValues: eventTypes },
      endsWithDone: true,
      create: (request, choices) => new ImagesUsageExtractor(request, choices),
    },
    readNonStreaming(answer, _lost, request) {
      const binaries = listImages(answer);
      return { usage: readImageUsage(request, answer, binaries.length), content: [], binaries };
    },
    completeResponse: (answer) =>
      Array.isArray(answer['data']) ? answer : { ...answer, data: listOf(readImages(answer)) },
    resultCount: (answer) => listImages(answer).length,
    expectedResults: () => ({ least: 1, most: Number.POSITIVE_INFINITY }),
    encodeError: encodeOpenaiError,
    encodeStreamError: encodeOpenaiStreamError,
  };
}

/** @param body request with its size in `size`. @throws InvalidRequestError */
export function expectImages(body: JsonObject): Pick<ExpectedUsage, 'usage' | 'variants'> {
  const image = Math.max(readChoices(body, 'n'), expectSequence(body));
  const partials = readInteger(body, 'partial_images', 0, PARTIAL_IMAGES_MAX) ?? 0;
  const usage = {
    ...emptyUsage(),
    image,
    imageVariant: resolveImageVariant(body, {}),
    imageInput: estimateInputImageTokens(body),
    imageOutput: image * estimateImageTokens(body, partials),
  };
  return { usage, variants: listImageVariants(body) };
}

/** Returns how many related images Volcengine may generate at once. https://www.volcengine.com/docs/82379/1541523 */
function expectSequence(body: JsonObject): number {
  if (body['sequential_image_generation'] !== 'auto') return 1;
  const most = numberOf(objectOf(body['sequential_image_generation_options'])['max_images']) ?? SEQUENCE_MAX;
  return Math.min(Math.max(1, Math.ceil(most)), SEQUENCE_MAX);
}

/**
 * Returns the bytes or the URL of each visible image, and an empty text for each that xAI withholds and bills.
 * https://docs.x.ai/developers/models, "Usage Guidelines Violation Fee"
 */
function listImages(answer: JsonObject): string[] {
  const pictures = objectsIn(readImages(answer));
  return pictures.flatMap((picture) => {
    const image = textOf(picture['b64_json']) ?? textOf(picture['url']);
    return image ?? (picture['respect_moderation'] === false ? '' : []);
  });
}

/** Reads the images, which SiliconFlow names differently. */
function readImages(answer: JsonObject): unknown {
  return Array.isArray(answer['data']) ? answer['data'] : answer['images'];
}

function requireImage(body: JsonObject): void {
  const image = body['image'] ?? body['images'] ?? undefined;
  if (image === undefined) throw new InvalidRequestError('Missing required parameter: image.', 'image');
}

/**
 * Usage of a stream. OpenAI streams a single image; other servers stream several, and may report their tokens with any
 * of them: a later report never lowers an earlier one. Volcengine reports each image as `partial_succeeded` or
 * `partial_failed`, and the number of all at the end.
 * https://platform.openai.com/docs/api-reference/images-streaming/image_generation/completed
 * https://www.volcengine.com/docs/82379/1824137
 */
class ImagesUsageExtractor implements UsageExtractor {
  usage: Usage | undefined;
  #completed = 0;
  /** Delivered images of a vendor that reports each; undefined at other vendors. */
  #succeeded: number | undefined;
  /** Volcengine's output tokens of the delivered images: a 256th of their pixels. */
  #tokens = 0;
  #lastImage: JsonObject = {};
  readonly #request: JsonObject;
  readonly #asked: number;

  constructor(request: JsonObject, asked: number) {
    this.#request = request;
    this.#asked = asked;
  }

  get finished(): boolean {
    return this.#completed >= this.#asked;
  }

  readEvent(event: JsonObject): boolean {
    const type = textOf(event['type']) ?? '';
    const { generated_images } = objectOf(event['usage']);
    if (type.endsWith('.completed')) this.#completed++;
    else if (/\.partial_(?:succeeded|failed)$/.test(type)) this.#readImage(event);
    else if (this.#completed > 0 || !type.endsWith('.partial_image')) return true;
    const most = Math.max(this.#asked, expectSequence(this.#request));
    const isListed = this.#succeeded !== undefined || generated_images !== undefined;
    const image = isListed
      ? Math.max(this.#succeeded ?? 0, Math.min(toTokenCount(generated_images), most))
      : // A delivered partial image counts as one if no finished image follows.
        Math.max(1, this.#completed);
    const { usage = { output_tokens: this.#tokens } } = event;
    const reported = isListed ? { usage, data: [this.#lastImage] } : event;
    this.usage = mergeReports(this.usage, readImageUsage(this.#request, reported, image));
    return true;
  }

  #readImage(event: JsonObject): void {
    this.#succeeded ??= 0;
    if (listImages({ data: [event] }).length === 0) return;
    this.#succeeded++;
    this.#lastImage = event;
    this.#tokens += Math.ceil(countPixels(event['size']) / 256);
  }
}
