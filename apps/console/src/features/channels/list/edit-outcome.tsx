import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import type { EditResult } from '@switchyard/contract/channels/channel-edits';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { useServerErrorText } from '../../../ui/form/server-field-errors.ts';
import { useFieldName } from '../bulk-edit/use-field-name.ts';

/** Maximum number of channels that are named for one reason. */
const NAMED = 5;

/** Shows how many channels a change affects, and the channels that refuse it, by reason. */
export function EditOutcome({ result }: { result: EditResult }) {
  const { t } = useTranslation('channels');
  const sentenceOf = useServerErrorText();
  const fieldName = useFieldName();
  const reasons = Map.groupBy(result.refused, (refused) =>
    refused.path === '' ? sentenceOf(refused) : `${fieldName(refused.path)}: ${sentenceOf(refused)}`,
  );
  return (
    <Box aria-live="polite" sx={{ display: 'grid', gap: 1 }}>
      <Alert severity={result.changed === 0 ? 'warning' : 'info'}>
        {t('edits.wouldChange', { count: result.changed, matched: result.matched })}
      </Alert>
      {result.refused_count > 0 && (
        <Alert severity="warning">
          {t('edits.wouldRefuse', { count: result.refused_count })}
          <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5 }}>
            {[...reasons].map(([reason, refused]) => (
              <li key={reason}>
                {reason} (
                {refused
                  .slice(0, NAMED)
                  .map(({ name }) => isolateBidi(name))
                  .join(', ')}
                {refused.length > NAMED && ` +${refused.length - NAMED}`})
              </li>
            ))}
          </Box>
        </Alert>
      )}
    </Box>
  );
}
