import { type AttachedFile, imageDataUrl } from '@switchyard/contract/playground/conversation';
import { playgroundPaths } from '@switchyard/contract/playground/playground';
import { z } from 'zod';
import { readAsDataUrl } from '../../../ui/actions/file-buttons.tsx';
import { bytesIn, partsOf } from './attachments.ts';
import type { ImageRequest, SpeechRequest, TranscriptRequest } from './build-requests.ts';
import { callRelay, checkFailure, ownFailure } from './relay-call.ts';

/** Longer than for chat: generating an image can take minutes without a byte. */
const SILENCE_MS = 300_000;

interface Ask<Request> {
  request: Request;
  signal: AbortSignal;
  onRequestId: (requestId: string) => void;
}

const pictureBody = z.object({
  data: z.array(z.object({ b64_json: z.string().nullish(), url: z.string().nullish() })),
});

/**
 * Requests images and returns data URLs or URLs at the provider, which only the user may open.
 * @throws ChatError after a failure, DOMException `AbortError` when the user stopped it
 */
export function requestImages(ask: Ask<ImageRequest>): Promise<string[]> {
  const call = { path: playgroundPaths.pictures, silenceMs: SILENCE_MS, ...ask };
  return callRelay(call, async (response) => {
    const text = await response.text();
    checkFailure(text);
    if (!response.ok) throw ownFailure('unreachable');
    const pictures = picturesIn(text);
    if (pictures.length === 0) throw ownFailure('not_understood');
    return pictures;
  });
}

function picturesIn(text: string): string[] {
  try {
    const { data } = pictureBody.parse(JSON.parse(text));
    return data.flatMap(({ b64_json, url }) => {
      const address = typeof b64_json === 'string' ? dataUrlOf(b64_json) : (url ?? undefined);
      if (address === undefined) return [];
      return (/^https?:\/\//.test(address) && URL.canParse(address)) || imageDataUrl.safeParse(address).success
        ? [address]
        : [];
    });
  } catch {
    return [];
  }
}

/** Image types by their first base64 characters; the upstream's media type is not trusted. */
const beginnings = { iVBORw0KGgo: 'png', '/9j/': 'jpeg', UklGR: 'webp', R0lGOD: 'gif' };

function dataUrlOf(base64: string): string | undefined {
  const type = Object.entries(beginnings).find(([beginning]) => base64.startsWith(beginning))?.[1];
  return type === undefined ? undefined : `data:image/${type};base64,${base64}`;
}

/**
 * Requests speech and returns it as a data URL.
 * @throws ChatError after a failure, DOMException `AbortError` when the user stopped it
 */
export function requestSpeech(ask: Ask<SpeechRequest>): Promise<string> {
  const call = { path: playgroundPaths.speech, silenceMs: SILENCE_MS, ...ask };
  return callRelay(call, async (response) => {
    const [type = ''] = /^audio\/[\w.+-]+/.exec(response.headers.get('content-type') ?? '') ?? [];
    if (response.ok && type !== '') return readAsDataUrl(new Blob([await response.arrayBuffer()], { type }));
    checkFailure(await response.text());
    throw ownFailure(response.ok ? 'not_understood' : 'unreachable');
  });
}

const transcriptBody = z.object({ text: z.string() });

/**
 * Returns the transcript of a recording.
 * @throws ChatError after a failure, DOMException `AbortError` when the user stopped it
 */
export async function requestTranscript({
  recording,
  request,
  ...ask
}: Ask<TranscriptRequest> & { recording: AttachedFile | undefined }): Promise<string> {
  const form = recording && transcriptForm(request, recording);
  if (form === undefined) throw ownFailure('recording_gone');
  const call = { path: playgroundPaths.transcript, silenceMs: SILENCE_MS, request: form, ...ask };
  return callRelay(call, async (response) => {
    const text = await response.text();
    checkFailure(text);
    if (!response.ok) throw ownFailure('unreachable');
    try {
      return transcriptBody.parse(JSON.parse(text)).text;
    } catch {
      throw ownFailure('not_understood');
    }
  });
}

/** Returns the form; undefined for a stored recording, of which only the name is left. */
export function transcriptForm(request: TranscriptRequest, { name, data }: AttachedFile): FormData | undefined {
  if (data === undefined) return undefined;
  const { type, base64 } = partsOf(data);
  const form = new FormData();
  for (const [field, value] of Object.entries(request)) form.set(field, value);
  form.set('file', new Blob([bytesIn(base64)], { type }), name);
  return form;
}
