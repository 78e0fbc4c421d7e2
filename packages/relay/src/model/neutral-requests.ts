/** Neutral forms between two dialects, for operations other than chat. */

import type { JsonObject } from '../json/json.ts';
import type { FormFile } from '../wire/multipart.ts';

/** Request with additional fields: an upstream takes those that it knows, and reports the others as unsupported. */
interface NeutralRequest {
  more: JsonObject;
}

export interface RerankRequest extends NeutralRequest {
  query: string;
  documents: string[];
  topN?: number | undefined;
}

/** Document by its index in the request. */
export interface RankedDocument {
  index: number;
  score: number;
}

export interface ImagesRequest extends NeutralRequest {
  prompt: string;
  count: number;
  /** Pixels; absent if the model chooses. */
  size?: { width: number; height: number } | undefined;
  quality?: string | undefined;
  style?: string | undefined;
  fileFormat?: 'png' | 'jpeg' | 'webp' | undefined;
  background?: string | undefined;
  /** Delivery by URL or inline; absent: either. */
  delivery?: 'url' | 'base64' | undefined;
}

export type GeneratedImage = { url: string } | { base64: string };

export interface SpeechRequest extends NeutralRequest {
  text: string;
  voice: string;
  format: string;
  speed?: number | undefined;
  instructions?: string | undefined;
}

export interface GeneratedAudio {
  bytes: Buffer;
}

export interface TranscriptionRequest extends NeutralRequest {
  file: FormFile;
  /** ISO 639-1. */
  language?: string | undefined;
  prompt?: string | undefined;
  temperature?: number | undefined;
}

export interface Transcript {
  text: string;
  language?: string | undefined;
  /** Seconds. */
  duration?: number | undefined;
  words: readonly SpokenWord[];
}

export interface SpokenWord {
  word: string;
  /** Seconds from the start. */
  start: number;
  end: number;
}

/** Neutral forms by operation: the request and the response. */
export interface NeutralTypes {
  embeddings: { asked: EmbeddingsRequest; answer: readonly Vector[] };
  rerank: { asked: RerankRequest; answer: readonly RankedDocument[] };
  images: { asked: ImagesRequest; answer: readonly GeneratedImage[] };
  speech: { asked: SpeechRequest; answer: GeneratedAudio };
  transcription: { asked: TranscriptionRequest; answer: Transcript };
}

/** Minimum and maximum number of results. */
export interface ResultRange {
  least: number;
  most: number;
}

export interface EmbeddingsRequest {
  texts: string[];
  dimensions?: number | undefined;
}

/** Vector as the upstream wrote it: the JSON of its numbers, or 32-bit floats in base64. */
export type Vector = Buffer | string;
