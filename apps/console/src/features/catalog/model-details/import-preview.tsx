import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import type { knownChoices, ReadDetails } from '@switchyard/contract/catalog/model-details';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/mono.tsx';
import { Name } from '../../../ui/display/name.tsx';
import { useRefusalSentence } from '../../../ui/form/field-refusals.ts';

/** More than anybody reads; the counts tell of the rest. */
const SHOWN = 200;

interface ImportPreviewProps {
  read: ReadDetails;
  known: (typeof knownChoices)[number];
}

/** Shows the effect of each entry of a list: refused entries first, each with its position. */
export function ImportPreview({ read: { entries, problems }, known }: ImportPreviewProps) {
  const { t } = useTranslation('model-details');
  const sentenceOf = useRefusalSentence();
  const outcomes = entries.map(({ detail, state }) => ({
    detail,
    outcome: state === 'other' ? known : state,
  }));
  const counts = (['new', 'overwrite', 'skip', 'same'] as const)
    .map((name) => [name, outcomes.filter(({ outcome }) => outcome === name).length] as const)
    .filter(([, count]) => count > 0);
  return (
    <Box aria-live="polite" sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
      {problems.length > 0 && (
        <Alert severity="warning">
          {t('problems', { count: problems.length })}
          <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5, maxHeight: 160, overflowY: 'auto' }} tabIndex={0}>
            {problems.slice(0, SHOWN).map((problem) => (
              <li key={`${problem.index} ${problem.path} ${problem.rule}`}>
                {t('entry', { number: problem.index + 1 })} <Mono>{problem.model}</Mono>{' '}
                {problem.path !== '' && (
                  <>
                    <Mono>{problem.path}</Mono>:{' '}
                  </>
                )}
                {sentenceOf(problem)}
              </li>
            ))}
          </Box>
        </Alert>
      )}
      {counts.length > 0 && (
        <Alert severity="info">
          {counts.map(([outcome, count]) => `${t(`outcome.${outcome}`)} ${count}`).join(' · ')}
        </Alert>
      )}
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', fontSize: '0.8125rem' }}>
        {outcomes.slice(0, SHOWN).map(({ detail, outcome }) => (
          <Box
            component="li"
            key={detail.model}
            sx={{
              display: 'flex',
              gap: 1,
              py: 0.75,
              borderBottom: 1,
              borderColor: 'divider',
              overflowWrap: 'anywhere',
            }}
          >
            <Box sx={{ flexGrow: 1, minWidth: 0 }}>
              <Mono>{detail.model}</Mono>
              {detail.name !== undefined && (
                <>
                  {' · '}
                  <Name>{detail.name}</Name>
                </>
              )}
            </Box>
            <Box sx={{ color: 'text.secondary', whiteSpace: 'nowrap' }}>{t(`outcome.${outcome}`)}</Box>
          </Box>
        ))}
      </Box>
    </Box>
  );
}
