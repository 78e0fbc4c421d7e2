import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type {
  ClientCodec,
  Dialect,
  NonStreamingResponse,
  UnsupportedFields,
  UpstreamCodec,
  UpstreamDialect,
} from '../model/dialect.ts';

/** Codecs of two dialects for an operation other than chat. */
interface CodecPair {
  /** @throws InvalidRequestError */
  encodeRequest(request: ClientRequest, model: string, dropped: string[]): Record<string, unknown>;
  /** @throws UpstreamError `garbled` */
  translateResponse(
    answer: JsonObject,
    whole: NonStreamingResponse,
    request: ClientRequest,
    lost: UnsupportedFields,
  ): string | Buffer | Generator<Buffer>;
}

/** Returns undefined if the dialects cannot be translated. */
export function createCodecPair(client: Dialect, upstream: UpstreamDialect): CodecPair | undefined {
  const { clientCodecs = {} } = client;
  const { upstreamCodecs = {} } = upstream;
  return (
    pairCodecs(clientCodecs.embeddings, upstreamCodecs.embeddings) ??
    pairCodecs(clientCodecs.rerank, upstreamCodecs.rerank) ??
    pairCodecs(clientCodecs.images, upstreamCodecs.images) ??
    pairCodecs(clientCodecs.speech, upstreamCodecs.speech) ??
    pairCodecs(clientCodecs.transcription, upstreamCodecs.transcription)
  );
}

function pairCodecs<Asked, Answer>(
  client: ClientCodec<Asked, Answer> | undefined,
  upstream: UpstreamCodec<Asked, Answer> | undefined,
): CodecPair | undefined {
  if (client === undefined || upstream === undefined) return undefined;
  return {
    encodeRequest(request, model, dropped) {
      const asked = client.decodeRequest(request.json, request, dropped);
      return upstream.encodeRequest(asked, model, dropped);
    },
    translateResponse(answer, { usage, vectors = [] }, request, lost) {
      const said = upstream.decodeResponse(answer, lost, vectors);
      const written = client.encodeResponse(said, request.json, request, usage);
      if (Buffer.isBuffer(written) || typeof written === 'string' || isGenerator(written)) return written;
      return JSON.stringify(written);
    },
  };
}

/** Returns whether a response is in pieces, which take their time when they are read. */
export function isGenerator<T>(written: object | string | Generator<T>): written is Generator<T> {
  return typeof written === 'object' && !Buffer.isBuffer(written) && Symbol.iterator in written;
}
