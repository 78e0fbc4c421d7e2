/** The neutral middle between two dialects of embeddings. */

export interface EmbeddingsAsked {
  texts: string[];
  dimensions?: number | undefined;
  /** Fields of the request that no neutral field covers, by their name in the client's dialect. */
  unsupported: string[];
}

export type Vector = readonly number[];
