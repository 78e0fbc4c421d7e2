import Box from '@mui/material/Box';
import type { TFunction } from 'i18next';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import type { useFactWords } from '../../../ui/display/fact-words.ts';
import { Mono } from '../../../ui/display/mono.tsx';
import { Name } from '../../../ui/display/name.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { TagChips } from '../../../ui/display/tag-chips.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { columnsFor } from '../../../ui/table/table-features.ts';
import type { DetailRow } from './detail-row.ts';

const helper = columnsFor<DetailRow>();

interface ColumnContext {
  t: TFunction<'model-details'>;
  words: ReturnType<typeof useFactWords>;
  compact: (value: number) => string;
}

export function detailColumns({ t, words, compact }: ColumnContext) {
  const tokens = (value: number | null) => (value === null ? UNKNOWN : compact(value));
  return helper.columns([
    helper.accessor('model', {
      header: t('model'),
      size: 235,
      enableSorting: true,
      cell: ({ getValue }) => <ModelId model={getValue()} what={t('modelId')} />,
      meta: { label: t('model'), card: 'title' },
    }),
    helper.accessor(({ facts }) => facts.name ?? null, {
      id: 'name',
      header: t('name'),
      size: 135,
      enableSorting: true,
      cell: ({ getValue }) => {
        const name = getValue();
        return name === null ? null : <Name>{name}</Name>;
      },
      meta: { label: t('name') },
    }),
    helper.accessor(({ facts }) => facts.context_length ?? null, {
      id: 'context',
      header: t('context'),
      size: 85,
      enableSorting: true,
      cell: ({ getValue }) => tokens(getValue()),
      meta: { label: t('context'), align: 'end', card: 'figure' },
    }),
    helper.accessor(({ facts }) => facts.output_max ?? null, {
      id: 'output',
      header: t('outputMax'),
      size: 120,
      enableSorting: true,
      cell: ({ getValue }) => tokens(getValue()),
      meta: { label: t('outputMax'), align: 'end', card: 'figure' },
    }),
    helper.accessor(({ facts }) => words.kinds(facts.input ?? []), {
      id: 'takes',
      header: t('input'),
      size: 125,
      meta: { label: t('input') },
    }),
    helper.accessor(({ facts }) => words.kinds(facts.output ?? []), {
      id: 'gives',
      header: t('output'),
      size: 85,
      meta: { label: t('output') },
    }),
    helper.accessor(({ facts }) => (facts.tags ?? []).join(', '), {
      id: 'tags',
      header: t('tags'),
      size: 120,
      cell: ({ row }) => <TagChips tags={row.original.facts.tags ?? []} />,
      meta: { label: t('tags') },
    }),
    helper.accessor('source', {
      header: t('source'),
      size: 130,
      enableSorting: true,
      cell: ({ getValue }) => {
        const source = getValue();
        return (
          <StatusChip tone={source === 'own' || source === 'both' ? 'primary' : 'neutral'} dot={false}>
            {t(`sourceName.${source}`)}
          </StatusChip>
        );
      },
      meta: { label: t('source'), card: 'state' },
    }),
  ]);
}

function ModelId({ model, what }: { model: string; what: string }) {
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, minWidth: 0 }}>
      <Box sx={{ minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' }}>
        <Mono>{model}</Mono>
      </Box>
      {/* On phones the name stands inside the card's own button. */}
      <Box sx={{ display: { xs: 'none', md: 'inline-flex' } }}>
        <CopyButton text={model} what={what} />
      </Box>
    </Box>
  );
}
