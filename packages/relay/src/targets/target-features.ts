import type { ReasoningEffort } from '../conversation.ts';
import type { UpstreamFormatId } from '../format-id.ts';
import { targetRules } from './target-rules.ts';

/**
 * What a model behind a provider takes of a chat request. Whatever writes a request reads it here; what the target does
 * not take is left out and named. What whole dialects demand stands with the dialect (`claude-models.ts`,
 * `gemini-models.ts`, `converse-models.ts`).
 */
export interface TargetFeatures {
  /** The words for how hard to think, from least to most; empty where the model cannot be told. */
  efforts: readonly ReasoningEffort[] | 'any';
  /** Whether the model can be let search the web in this dialect. */
  webSearch: boolean;
  /** Where instructions may stand. `first`: a later one is refused by the model's chat template. */
  systemTurns: 'anywhere' | 'first';
  /**
   * Anthropic's `cache_control`, in this dialect. `unknown`: sent when the client wrote it in the same one.
   */
  cacheMarks: 'taken' | 'refused' | 'unknown';
  /** Google's `extra_content` in Chat Completions, in which Gemini's signatures stand; `unknown` as above. */
  googleExtras: 'taken' | 'refused' | 'unknown';
  /** Whether a tool's schema may be a choice or a combination of schemas (`anyOf`, `oneOf`, `allOf`) at its root. */
  rootUnions: boolean;
  /** Whether a schema may list several types (`type: ['string', 'null']`). */
  typeLists: boolean;
  /** Keywords that may stand at the root of a tool's schema. */
  rootKeywords: readonly string[] | 'any';
  /**
   * What `strict` demands of a schema. `closed`: each object lists all its properties as required and allows no
   * others, as OpenAI has it; a schema that does not is refused.
   */
  strictSchemas: 'any' | 'closed';
  /** The longest answer, in tokens; a higher cap is refused. */
  outputTokensMax: number;
}

/** A row of the table of targets: the features that it names hold for every target that it describes. */
export interface TargetRule {
  /** By their ids; any where absent. */
  providers?: readonly string[];
  formats?: readonly UpstreamFormatId[];
  /** Matched against the model's name at the vendor, in small letters. */
  models?: RegExp;
  takes: Partial<TargetFeatures>;
}

/** A target of which nothing is known. */
const unknownTarget: TargetFeatures = {
  efforts: 'any',
  webSearch: true,
  systemTurns: 'anywhere',
  cacheMarks: 'unknown',
  googleExtras: 'unknown',
  rootUnions: true,
  typeLists: true,
  rootKeywords: 'any',
  strictSchemas: 'any',
  outputTokensMax: Number.POSITIVE_INFINITY,
};

/** What is asked of, for a model at a provider in one of its dialects. */
export interface AskedTarget {
  provider: { id: string };
  model: string;
  options: Readonly<Record<string, string>>;
}

/** Each request asks; the answers for one target are the same, and the names of models are few. */
const known = new Map<string, TargetFeatures>();
const KNOWN_MAX = 1_000;

/** Of each feature the first row counts that names it and describes the target. */
export function featuresOf(target: AskedTarget, format: UpstreamFormatId): TargetFeatures {
  const key = `${target.provider.id} ${format} ${target.options['cacheMarks']} ${target.model}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= KNOWN_MAX) known.clear();
  const features = lookUp(target, format);
  known.set(key, features);
  return features;
}

function lookUp(target: AskedTarget, format: UpstreamFormatId): TargetFeatures {
  const model = target.model.toLowerCase();
  const rows = targetRules.filter(
    ({ providers, formats, models }) =>
      (providers === undefined || providers.includes(target.provider.id)) &&
      (formats === undefined || formats.includes(format)) &&
      (models === undefined || models.test(model)),
  );
  const features = rows.reduceRight((others, { takes }) => ({ ...others, ...takes }), unknownTarget);
  return { ...features, cacheMarks: chosenMarks(target) ?? features.cacheMarks };
}

/** What the operator knows of the upstream's caching. */
function chosenMarks({ options }: AskedTarget): TargetFeatures['cacheMarks'] | undefined {
  if (options['cacheMarks'] === 'on') return 'taken';
  return options['cacheMarks'] === 'off' ? 'refused' : undefined;
}
