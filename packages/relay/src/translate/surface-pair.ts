import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type {
  ClientSurface,
  Dialect,
  Lost,
  UpstreamDialect,
  UpstreamSurface,
  WholeAnswer,
} from '../model/format.ts';

/** Two dialects of one operation that is not chat, whatever lies between them. */
interface SurfacePair {
  /** @throws InvalidRequest */
  ask(request: ClientRequest, model: string, dropped: string[]): Record<string, unknown>;
  /** @throws UpstreamError `garbled` */
  answer(answer: JsonObject, whole: WholeAnswer, request: ClientRequest, lost: Lost): string | Buffer;
}

/** Undefined where one cannot be turned into the other. */
export function surfacePair(client: Dialect, upstream: UpstreamDialect): SurfacePair | undefined {
  const { asks = {} } = client;
  const { serves = {} } = upstream;
  return (
    paired(client.embeddings, upstream.embeddings) ??
    paired(asks.rerank, serves.rerank) ??
    paired(asks.images, serves.images) ??
    paired(asks.speech, serves.speech) ??
    paired(asks.transcription, serves.transcription)
  );
}

function paired<Asked, Answer>(
  client: ClientSurface<Asked, Answer> | undefined,
  upstream: UpstreamSurface<Asked, Answer> | undefined,
): SurfacePair | undefined {
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
