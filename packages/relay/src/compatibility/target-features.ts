import type { ReasoningEffort } from '../model/conversation.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';

/**
 * Features of a chat request that a model behind a provider accepts. Every encoder reads them, and removes and
 * reports other fields as unsupported. The capabilities of whole dialects are in `claude-models.ts`,
 * `gemini-models-and-thinking.ts` and `converse-models.ts`.
 */
export interface TargetFeatures {
  /** Effort words in ascending order; empty if the model has none. */
  efforts: readonly ReasoningEffort[] | 'any';
  /** Web search by the model in this dialect; `unknown` as for `cacheMarks`. */
  webSearch: 'taken' | 'refused' | 'unknown';
  /** Allowed positions of instructions. `first`: the model's chat template refuses a later one. */
  systemTurns: 'anywhere' | 'first';
  /**
   * Support of Anthropic's `cache_control` in this dialect. `unknown`: sent if the client wrote it in the same
   * dialect.
   */
  cacheMarks: 'taken' | 'refused' | 'unknown';
  /**
   * Support of Google's `extra_content` in Chat Completions, which holds Gemini's signatures; `unknown` as for
   * `cacheMarks`.
   */
  googleExtras: 'taken' | 'refused' | 'unknown';
  /**
   * Thoughts of earlier turns in dialects that normally omit them. `required`: after a tool call, the model refuses a
   * history with an assistant message without one.
   */
  earlierThoughts: 'left-out' | 'required';
  /** True if the root of a tool's schema may combine schemas (`anyOf`, `oneOf`, `allOf`). */
  rootUnions: boolean;
  /** True if a schema may list several types (`type: ['string', 'null']`). */
  typeLists: boolean;
  /** Keywords that are allowed at the root of a tool's schema. */
  rootKeywords: readonly string[] | 'any';
  /**
   * Requirement of `strict` on a schema. `closed`: each object lists all its properties as required and allows no
   * others, as at OpenAI; any other schema is refused.
   */
  strictSchemas: 'any' | 'closed';
  /** Maximum output tokens; a higher cap is refused. */
  outputTokensMax: number;
}

/** Row of the table of targets; its features hold for every target that it matches. */
export interface TargetRule {
  /** Provider ids; absent: all providers. */
  providers?: readonly string[];
  formats?: readonly UpstreamDialectId[];
  /** Pattern for the normalized name of the model at the vendor (`familyName`). */
  models?: RegExp;
  features: Partial<TargetFeatures>;
}
