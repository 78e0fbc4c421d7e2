import { createHmac } from 'node:crypto';
import { bearerHeader } from '../auth/upstream-credentials.ts';
import { KLING_IMAGES_PATH } from '../dialects/images/kling-images.ts';
import { createErrorCodeReader } from '../errors/read-upstream-error.ts';
import { startsFromImage } from '../exchange/dialect-registry.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { Provider, Target } from '../model/provider.ts';

const LIFETIME_SECONDS = 1_800;
/** Tolerance for a slow clock at the vendor. */
const EARLIER_SECONDS = 5;

const usesSignature = ({ credentials }: Target): boolean => (credentials['secretKey'] ?? '') !== '';

/**
 * Kling AI. In China, the base URL is `https://api-beijing.klingai.com`. The key is a single one, or
 * `AccessKey|SecretKey`, which signs a token for each call.
 * https://app.klingai.com/global/dev/document-api/apiReference/commonInfo
 */
export const kling: Provider = {
  id: 'kling',
  label: 'Kling AI',
  channelType: 53,
  website: 'https://app.klingai.com/global/dev',
  baseUrl: 'https://api-singapore.klingai.com',
  endpoints: {
    images: [{ format: 'kling-images', path: KLING_IMAGES_PATH }],
    videos: [{ format: 'kling-videos', path: videoPath }],
  },
  credentials: [
    { name: 'key', required: true, placeholder: 'AccessKey' },
    { name: 'secretKey', required: false },
  ],
  options: [],
  testModel: 'kling-v1',
  authorize: (target) => (usesSignature(target) ? {} : bearerHeader(target)),
  sign: (_call, target, at) => (usesSignature(target) ? { authorization: `Bearer ${signToken(target, at)}` } : {}),
  readError: createErrorCodeReader({
    1000: 'unauthorised',
    1001: 'unauthorised',
    1002: 'unauthorised',
    1003: 'unauthorised',
    1004: 'unauthorised',
    1100: 'unauthorised',
    1101: 'out-of-credit',
    1102: 'out-of-credit',
    1103: 'unauthorised',
    1203: 'garbled',
    1300: 'rejected',
    1301: 'rejected',
    1302: 'rate-limited',
    1303: 'rate-limited',
    1304: 'unauthorised',
  }),
};

/** Returns the path for a video, which depends on whether it starts from an image. */
function videoPath(_target: Target, request: ClientRequest): string {
  const own = request.format === 'kling-videos' ? request.submission?.path : undefined;
  return `/v1/videos/${own ?? (startsFromImage(request) ? 'image2video' : 'text2video')}`;
}

/** @param at UTC ms */
function signToken({ credentials }: Target, at: number): string {
  const { key: accessKey = '', secretKey = '' } = credentials;
  const now = Math.floor(at / 1000);
  const claims = { iss: accessKey, exp: now + LIFETIME_SECONDS, nbf: now - EARLIER_SECONDS };
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${createHmac('sha256', secretKey).update(text).digest('base64url')}`;
}
