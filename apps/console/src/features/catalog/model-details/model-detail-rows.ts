import type { DescribedModel } from '@switchyard/contract/catalog/model-details';
import { type DescribedMetadata, mergeMetadata } from '@switchyard/contract/catalog/models';

/** Sources of a model's metadata: the operator, the lists, both or none. */
export const sources = ['both', 'own', 'list', 'none'] as const;
type Source = (typeof sources)[number];

export interface DetailRow extends DescribedModel {
  /** Merged metadata; the operator's values win over the lists'. */
  facts: DescribedMetadata;
  source: Source;
}

export function detailRow(described: DescribedModel): DetailRow {
  const { listed, own } = described;
  const source = own === null ? (listed === null ? 'none' : 'list') : listed === null ? 'own' : 'both';
  return { ...described, facts: mergeMetadata(listed ?? {}, own ?? {}), source };
}

interface DetailFilter {
  keyword: string;
  source: string | undefined;
  offered: string | undefined;
  tag: string | undefined;
}

export function filterDetails(rows: readonly DetailRow[], filter: DetailFilter): DetailRow[] {
  const wanted = filter.keyword.toLowerCase();
  return rows.filter(
    ({ model, facts: { name = '', description = '', tags = [] }, source, offered }) =>
      [model, name, description, ...tags].some((text) => text.toLowerCase().includes(wanted)) &&
      (filter.source === undefined || source === filter.source) &&
      (filter.offered === undefined || String(offered) === filter.offered) &&
      (filter.tag === undefined || tags.includes(filter.tag)),
  );
}

export const detailSortValues = {
  model: ({ model }: DetailRow) => model,
  name: ({ facts }: DetailRow) => facts.name ?? null,
  context: ({ facts }: DetailRow) => facts.context_length ?? null,
  output: ({ facts }: DetailRow) => facts.output_max ?? null,
  source: ({ source }: DetailRow) => sources.indexOf(source),
};
