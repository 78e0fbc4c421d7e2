import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type {
  ClientCodec,
  Dialect,
  NonStreamingResponse,
  UnsupportedFields,
  UpstreamCodec,
  UpstreamDialect,
} from '../model/format.ts';

/** Two dialects of one operation that is not chat, whatever lies between them. */
interface CodecPair {
  /** @throws InvalidRequest */
  ask(request: ClientRequest, model: string, dropped: string[]): Record<string, unknown>;
  /** @throws UpstreamError `garbled` */
  answer(
    answer: JsonObject,
    whole: NonStreamingResponse,
    request: ClientRequest,
    lost: UnsupportedFields,
  ): string | Buffer;
}

/** Undefined where one cannot be turned into the other. */
export function createCodecPair(client: Dialect, upstream: UpstreamDialect): CodecPair | undefined {
  const { asks = {} } = client;
  const { serves = {} } = upstream;
  return (
    pairCodecs(client.embeddings, upstream.embeddings) ??
    pairCodecs(asks.rerank, serves.rerank) ??
    pairCodecs(asks.images, serves.images) ??
    pairCodecs(asks.speech, serves.speech) ??
    pairCodecs(asks.transcription, serves.transcription)
  );
}

function pairCodecs<Asked, Answer>(
  client: ClientCodec<Asked, Answer> | undefined,
  upstream: UpstreamCodec<Asked, Answer> | undefined,
): CodecPair | undefined {
  if (client === undefined || upstream === undefined) return undefined;
  return {
    ask(request, model, dropped) {
      const asked = client.decodeRequest(request.json, request, dropped);
      return upstream.encodeRequest(asked, model, dropped);
    },
    answer(answer, { usage }, request, lost) {
      const said = upstream.decodeAnswer(answer, lost);
      const written = client.encodeAnswer(said, request.json, request, usage);
      return Buffer.isBuffer(written) || typeof written === 'string' ? written : JSON.stringify(written);
    },
  };
}
