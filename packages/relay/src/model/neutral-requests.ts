/** The neutral middle between two dialects of what is neither chat nor embeddings. */
import type { JsonObject } from '../json/json.ts';
import type { FormFile } from '../wire/write-multipart.ts';

/**
 * Request fields beyond the neutral ones: an upstream takes those that it knows, and reports the others as unsupported.
 */
interface NeutralRequest {
  more: JsonObject;
}

export interface RerankRequest extends NeutralRequest {
  query: string;
  documents: string[];
  topN?: number | undefined;
}

/** A document by its place in the request. */
export interface RankedDocument {
  index: number;
  score: number;
}

export interface ImagesRequest extends NeutralRequest {
  prompt: string;
  count: number;
  /** Pixels; absent where the model is to choose. */
  size?: { width: number; height: number } | undefined;
  quality?: string | undefined;
  style?: string | undefined;
  fileFormat?: 'png' | 'jpeg' | 'webp' | undefined;
  background?: string | undefined;
  /** Delivery by URL or in the response itself; either is fine if absent. */
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
  /** Seconds from the beginning. */
  start: number;
  end: number;
}

/** Neutral forms by operation: the request and the response. */
export interface NeutralTypes {
  rerank: { asked: RerankRequest; answer: readonly RankedDocument[] };
  images: { asked: ImagesRequest; answer: readonly GeneratedImage[] };
  speech: { asked: SpeechRequest; answer: GeneratedAudio };
  transcription: { asked: TranscriptionRequest; answer: Transcript };
}

/** The fewest and the most results that a request may get. */
export interface ResultRange {
  least: number;
  most: number;
}
