import { listOf, textOf } from '../../json/json.ts';
import type { Dialect } from '../../model/dialect.ts';
import { emptyUsage } from '../../model/usage.ts';
import { requireList } from '../../translate/request-fields.ts';
import { createRefusalError, encodeMidjourneyError, stripGatewayFields } from './midjourney.ts';
import { resolveMode, toPriceName } from './midjourney-submissions.ts';

/** Path below `/mj/`. */
export const UPLOAD_PATH = 'submit/upload-discord-images';

/**
 * Image uploads to a midjourney-proxy, which prompts can refer to: answered at once, and free.
 * https://github.com/trueai-org/midjourney-proxy
 */
export const midjourneyUploads: Dialect = {
  id: 'midjourney-uploads',
  operation: 'drawing',
  readSubmission: (_body, route) => ({
    ...route,
    action: 'upload',
    model: toPriceName('upload', resolveMode(route)),
    isFree: true,
  }),
  readFacts(body) {
    requireList(body, 'base64Array');
    return {
      hasTools: false,
      maxOutputTokens: 0,
      choices: 1,
      inputTokensEstimate: 0,
      expected: { unit: 'image', usage: emptyUsage(), isCounted: true },
    };
  },
  prepare: stripGatewayFields,
  readNonStreaming(answer) {
    const addresses = listOf(answer['result']).flatMap((address) => textOf(address) ?? []);
    if (answer['code'] !== 1 || addresses.length === 0) throw createRefusalError(answer);
    return { usage: emptyUsage(), content: [], binaries: addresses };
  },
  encodeError: encodeMidjourneyError,
  encodeStreamError: encodeMidjourneyError,
};
