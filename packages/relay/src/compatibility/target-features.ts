import type { ReasoningEffort } from '../model/conversation.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';

/**
 * Features of a chat request that a model behind a provider accepts. Every encoder reads them here, and omits and
 * reports the others as unsupported. Requirements of whole dialects are kept with the dialect (`claude-models.ts`,
 * `gemini-models.ts`, `converse-models.ts`).
 */
export interface TargetFeatures {
  /** The words for how hard to think, from least to most; empty where the model cannot be told. */
  efforts: readonly ReasoningEffort[] | 'any';
  /** Web search by the model in this dialect; `unknown` as below. */
  webSearch: 'taken' | 'refused' | 'unknown';
  /** The places of instructions. `first`: a later one is refused by the model's chat template. */
  systemTurns: 'anywhere' | 'first';
  /**
   * Anthropic's `cache_control`, in this dialect. `unknown`: sent when the client wrote it in the same one.
   */
  cacheMarks: 'taken' | 'refused' | 'unknown';
  /** Google's `extra_content` in Chat Completions, in which Gemini's signatures stand; `unknown` as above. */
  googleExtras: 'taken' | 'refused' | 'unknown';
  /**
   * The thoughts of earlier turns, where a dialect leaves them out otherwise. `required`: once tools were called, the
   * model refuses a history in which an assistant message has none.
   */
  earlierThoughts: 'left-out' | 'required';
  /** The root of a tool's schema may combine schemas (`anyOf`, `oneOf`, `allOf`). */
  rootUnions: boolean;
  /** A schema may list several types (`type: ['string', 'null']`). */
  typeLists: boolean;
  /** Keywords that may stand at the root of a tool's schema. */
  rootKeywords: readonly string[] | 'any';
  /**
   * Requirement of `strict` on a schema. `closed`: each object lists all its properties as required and allows no
   * others, as at OpenAI; any other schema is refused.
   */
  strictSchemas: 'any' | 'closed';
  /** The longest answer, in tokens; a higher cap is refused. */
  outputTokensMax: number;
}

/** A row of the table of targets: the features that it names hold for every target that it describes. */
export interface TargetRule {
  /** Ids of providers; absent, the row holds for all. */
  providers?: readonly string[];
  formats?: readonly UpstreamDialectId[];
  /** Matched against the model's name at the vendor, in one spelling (`familyName`). */
  models?: RegExp;
  features: Partial<TargetFeatures>;
}
