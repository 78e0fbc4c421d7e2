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
  ): string | Buffer;
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
    translateResponse(answer, { usage }, request, lost) {
      const said = upstream.decodeResponse(answer, lost);
      const written = client.encodeResponse(said, request.json, request, usage);
      return Buffer.isBuffer(written) || typeof written === 'string' ? written : JSON.stringify(written);
    },
  };
}
