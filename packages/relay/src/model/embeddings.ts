/** Neutral form between two dialects of embeddings. */

export interface EmbeddingsRequest {
  texts: string[];
  dimensions?: number | undefined;
}

export type Vector = readonly number[];
