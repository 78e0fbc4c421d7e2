import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import type { ApplyMode, CatalogueLine, Comparison, ListFormat } from '@switchyard/contract/catalog/catalog-updates';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { DiffLine } from './model-change-line.tsx';
import { useApply, useDismiss } from './queries.ts';

const modes = ['add', 'update', 'overwrite'] as const satisfies readonly ApplyMode[];

/** Shows the changes that a list would make and lets the user choose among them. */
export function ComparisonCard({ comparison, onDone }: { comparison: Comparison; onDone: () => void }) {
  const { t } = useTranslation('catalogue');
  const format = useFormat();
  const mayWrite = useHasAccess('prices.write');
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

/**
 * Applies the chosen changes. Asks first when prices would be deleted, become free or change a thousandfold.
 */
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

const rules = ['negative', 'too_big', 'duplicate', 'unknown-currency'] as const;

/** Shows the entries that were left out, each with its position in the list. */
function ListProblems({ comparison: { problems, problem_count } }: { comparison: Comparison }) {
  const { t } = useTranslation('catalogue');
  if (problem_count === 0) return null;
  return (
    <Alert severity="warning" sx={{ mb: 1.5 }}>
      {t('problems', { count: problem_count })}
      <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5, maxHeight: 160, overflowY: 'auto' }} tabIndex={0}>
        {problems.map(({ place, model, rule }, index) => (
          // Several problems can share a position.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <Mono>{model}</Mono> {t(`problem.${rules.find((name) => name === rule) ?? 'other'}`)} (<Mono>{place}</Mono>)
          </li>
        ))}
      </Box>
    </Alert>
  );
}

interface LineListProps {
  lines: readonly CatalogueLine[];
  mode: ApplyMode;
  choices: Choices;
  onChoose: (models: readonly string[], apply: boolean) => void;
  readOnly: boolean;
}

type Kind = CatalogueLine['kind'] | 'all';
const kinds = ['all', 'added', 'changed', 'gone'] as const satisfies readonly Kind[];
/** Lines that are shown at first and added on request; lists can have thousands. */
const STEP = 50;

function LineList({ lines, mode, choices, onChoose, readOnly }: LineListProps) {
  const { t } = useTranslation('catalogue');
  const [kind, setKind] = useState<Kind>('all');
  const [keyword, setKeyword] = useState('');
  const [limit, setLimit] = useState(STEP);
  const covered = lines.filter((line) => isCovered(line, mode));
  const counts = new Map<Kind, number>([['all', covered.length]]);
  for (const line of covered) counts.set(line.kind, (counts.get(line.kind) ?? 0) + 1);
  const wanted = keyword.trim().toLowerCase();
  const shownKind = counts.has(kind) ? kind : 'all';
  const found = covered.filter(
    (line) => (shownKind === 'all' || line.kind === shownKind) && line.model.toLowerCase().includes(wanted),
  );
  // Deletions can be chosen only when the list shows nothing else, to prevent accidental ones.
  const open = found.filter((line) => isOpen(line, mode) && (shownKind === 'gone' || line.kind !== 'gone'));
  const chosen = open.filter((line) => isChosen(line, choices)).length;
  const shown = found.slice(0, limit);
  return (
    <>
      <Box sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap', alignItems: 'center' }}>
        <ChoiceRow
          label={t('kind.label')}
          value={shownKind}
          options={kinds
            .filter((value) => value === 'all' || counts.has(value))
            .map((value) => ({ value, label: `${t(`kind.${value}`)} ${counts.get(value) ?? 0}` }))}
          onChange={setKind}
        />
        <TextField
          size="small"
          label={t('search')}
          value={keyword}
          onChange={(event) => setKeyword(event.target.value)}
          sx={{ width: 220 }}
        />
        {!readOnly && open.length > 0 && (
          <FormControlLabel
            label={t('selectAll')}
            control={
              <Checkbox
                size="small"
                checked={chosen === open.length}
                indeterminate={chosen > 0 && chosen < open.length}
                onChange={(_, apply) =>
                  onChoose(
                    open.map(({ model }) => model),
                    apply,
                  )
                }
              />
            }
          />
        )}
      </Box>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, mt: 1, p: 0 }}>
        {shown.map((line) => (
          <DiffLine
            key={line.model}
            line={line}
            open={!readOnly && isOpen(line, mode)}
            chosen={isChosen(line, choices)}
            onChoose={(apply) => onChoose([line.model], apply)}
            readOnly={readOnly}
          />
        ))}
      </Box>
      {found.length > shown.length && (
        <Button color="inherit" onClick={() => setLimit(limit + 4 * STEP)} sx={{ mt: 1 }}>
          {t('more', { count: Math.min(4 * STEP, found.length - shown.length) })}
        </Button>
      )}
    </>
  );
}

const kindsOf: Record<ApplyMode, readonly CatalogueLine['kind'][]> = {
  add: ['added'],
  update: ['added', 'changed'],
  overwrite: ['added', 'changed', 'gone'],
};

/** Returns whether the mode applies to lines of this kind. */
function isCovered({ kind }: CatalogueLine, mode: ApplyMode): boolean {
  return kindsOf[mode].includes(kind);
}

/** Returns whether the line can be approved at all. */
function isOpen(line: CatalogueLine, mode: ApplyMode): boolean {
  return !line.locked && isCovered(line, mode);
}

/** Manual choices by model; true for a change to apply. */
type Choices = ReadonlyMap<string, boolean>;

/** Returns whether the change is chosen; by default all are chosen except deletions. */
function isChosen({ model, kind }: CatalogueLine, choices: Choices): boolean {
  return choices.get(model) ?? kind !== 'gone';
}

function chosenLines(lines: readonly CatalogueLine[], mode: ApplyMode, choices: Choices): CatalogueLine[] {
  return lines.filter((line) => isOpen(line, mode) && isChosen(line, choices));
}
