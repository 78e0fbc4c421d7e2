import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type {
  ApplyMode,
  CatalogueLine,
  Comparison,
  ListFormat,
} from '@switchyard/contract/catalog/catalogue';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { useMay } from '../../accounts/session/queries.ts';
import { LineList } from './line-list.tsx';
import { ListProblems } from './list-problems.tsx';
import { useApply, useDismiss } from './queries.ts';
import { type Choices, chosenLines } from './selection.ts';

const modes = ['add', 'update', 'overwrite'] as const satisfies readonly ApplyMode[];

/** Shows the changes that a list would make, and lets the user choose among them. */
export function ComparisonCard({ comparison, onDone }: { comparison: Comparison; onDone: () => void }) {
  const { t } = useTranslation('catalogue');
  const format = useFormat();
  const mayWrite = useMay('prices.write');
  const [mode, setMode] = useState<ApplyMode>('update');
  const [choices, setChoices] = useState<Choices>(new Map());
  const { source, created_time, entries, lines } = comparison;
  const named = source === 'shipped' || source === 'text' ? t(`from.${source}`) : source;
  const chosen = chosenLines(lines, mode, choices);
  const choose = (models: readonly string[], apply: boolean) =>
    setChoices((before) => new Map([...before, ...models.map((model) => [model, apply] as const)]));
  const hasGone = lines.some(({ kind }) => kind === 'gone');
  return (
    <SectionCard
      title={t('listOf', { source: named, time: format.moment(created_time) })}
      actions={mayWrite && <Dismiss id={comparison.id} onDone={onDone} />}
    >
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1.5 }}>
        {formatName(t, comparison.format)} · {t('entries', { count: entries })}
      </Typography>
      <ListProblems comparison={comparison} />
      {lines.length === 0 ? (
        <EmptyState>{t('same')}</EmptyState>
      ) : (
        <>
          <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5, flexWrap: 'wrap', mb: 1.5 }}>
            <ChoiceRow
              label={t('mode.label')}
              value={mode}
              options={modes
                .filter((value) => value !== 'overwrite' || hasGone)
                .map((value) => ({ value, label: t(`mode.${value}`) }))}
              onChange={setMode}
            />
            <Typography variant="body2" sx={{ color: 'text.secondary' }}>
              {t(`modeHint.${mode}`)}
            </Typography>
          </Box>
          <LineList lines={lines} mode={mode} choices={choices} onChoose={choose} readOnly={!mayWrite} />
          {mayWrite && <Apply id={comparison.id} mode={mode} lines={chosen} onDone={onDone} />}
        </>
      )}
    </SectionCard>
  );
}

interface ApplyProps {
  id: number;
  mode: ApplyMode;
  lines: readonly CatalogueLine[];
  onDone: () => void;
}

const productNames = { litellm: 'LiteLLM', 'models.dev': 'models.dev', 'new-api': 'New API' } as const;

function formatName(t: TFunction<'catalogue'>, format: ListFormat): string {
  return format === 'switchyard' || format === 'ratios' ? t(`format.${format}`) : productNames[format];
}

const NAMES_SHOWN = 5;

/** Asks once more before prices go, or change a thousand times. */
function Apply({ id, mode, lines, onDone }: ApplyProps) {
  const { t } = useTranslation('catalogue');
  const notifyError = useNotifyError();
  const apply = useApply();
  const [asking, setAsking] = useState(false);
  const extreme = lines.filter((line) => line.extreme);
  const gone = lines.filter(({ kind }) => kind === 'gone');
  const run = async (confirmed: boolean) => {
    const chosen = lines.map(({ model, version }) => ({ model, version }));
    const counts = await apply.mutateAsync({ id, mode, lines: chosen, confirmed });
    notify('success', t('applied', counts));
    onDone();
  };
  const press = () => {
    if (extreme.length + gone.length > 0) setAsking(true);
    else run(false).catch(notifyError);
  };
  const names = extreme.slice(0, NAMES_SHOWN).map(({ model }) => model);
  const sentences = [
    ...(extreme.length > 0
      ? [
          t('askExtreme', {
            count: extreme.length,
            models: names.join(', ') + (extreme.length > names.length ? ', …' : ''),
          }),
        ]
      : []),
    ...(gone.length > 0 ? [t('askGone', { count: gone.length })] : []),
  ];
  return (
    <Box
      sx={{
        position: 'sticky',
        bottom: 0,
        bgcolor: 'background.paper',
        borderTop: 1,
        borderColor: 'divider',
        py: 1.5,
        mt: 1,
      }}
    >
      <Button variant="contained" disabled={lines.length === 0} loading={apply.isPending} onClick={press}>
        {t('apply', { count: lines.length })}
      </Button>
      <ConfirmDialog
        open={asking}
        question={{
          title: t('askTitle'),
          text: sentences.join(' '),
          verb: t('askVerb'),
          typed: gone.length > 1 ? String(gone.length) : undefined,
        }}
        onConfirm={() => run(true)}
        onClose={() => setAsking(false)}
      />
    </Box>
  );
}

function Dismiss({ id, onDone }: { id: number; onDone: () => void }) {
  const { t } = useTranslation('catalogue');
  const notifyError = useNotifyError();
  const dismiss = useDismiss();
  return (
    <Button
      size="small"
      color="inherit"
      loading={dismiss.isPending}
      onClick={() => dismiss.mutate(id, { onSuccess: onDone, onError: notifyError })}
    >
      {t('dismiss')}
    </Button>
  );
}
