import type { UpstreamDialectId } from '../model/dialect-id.ts';
import { familyName } from '../model/facts-from-model-name.ts';
import { targetRules } from './target-feature-rules.ts';
import type { TargetFeatures } from './target-features.ts';

/** Features of a target without a matching rule. */
const unknownTarget: TargetFeatures = {
  efforts: 'any',
  webSearch: 'taken',
  systemTurns: 'anywhere',
  cacheMarks: 'unknown',
  googleExtras: 'unknown',
  earlierThoughts: 'left-out',
  rootUnions: true,
  typeLists: true,
  rootKeywords: 'any',
  strictSchemas: 'any',
  outputTokensMax: Number.POSITIVE_INFINITY,
};

/** Model at a provider. */
export interface FeatureTarget {
  provider: { id: string };
  model: string;
  options: Readonly<Record<string, string>>;
}

/** Cache: every request asks, and the targets are few. */
const known = new Map<string, TargetFeatures>();
const KNOWN_MAX = 1_000;

/** Returns the features of a target. For each feature, the first matching row that names it applies. */
export function findTargetFeatures(target: FeatureTarget, format: UpstreamDialectId): TargetFeatures {
  const model = familyName(target.model);
  const key = `${target.provider.id} ${format} ${target.options['cacheMarks']} ${model}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= KNOWN_MAX) known.clear();
  const features = lookUp(target, format, model);
  known.set(key, features);
  return features;
}

function lookUp(target: FeatureTarget, format: UpstreamDialectId, model: string): TargetFeatures {
  const rows = targetRules.filter(
    ({ providers, formats, models }) =>
      (providers === undefined || providers.includes(target.provider.id)) &&
      (formats === undefined || formats.includes(format)) &&
      (models === undefined || models.test(model)),
  );
  const features = { ...unknownTarget };
  for (const { features: takes } of rows.toReversed()) Object.assign(features, takes);
  return { ...features, cacheMarks: chosenCacheMarks(target) ?? features.cacheMarks };
}

/** Returns the operator's choice for the channel; undefined without one. */
function chosenCacheMarks({ options }: FeatureTarget): TargetFeatures['cacheMarks'] | undefined {
  if (options['cacheMarks'] === 'on') return 'taken';
  return options['cacheMarks'] === 'off' ? 'refused' : undefined;
}
