import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { UserId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { InlineNumber } from '../../../ui/actions/inline-number.tsx';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { keysOfQuery, useSetKeyRatio } from '../api-keys/queries.ts';

const RATIO_MAX = 1_000;

/** Shows the price ratios of a user's tokens; renders nothing when there are none. */
export function TokenRatios({ userId, may }: { userId: UserId; may: boolean }) {
  const { t } = useTranslation('users');
  const keys = useQuery(keysOfQuery(userId)).data ?? [];
  const setRatio = useSetKeyRatio();
  const notifyError = useNotifyError();
  if (keys.length === 0) return null;
  return (
    <Box component="section" sx={{ display: 'grid', gap: 1 }}>
      <Typography variant="h3">{t('tokenRatios')}</Typography>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('tokenRatiosHint')}
      </Typography>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, fontSize: '0.8125rem' }}>
        {keys.map(({ id, name, ratio }) => (
          <Box
            key={id}
            component="li"
            sx={{
              display: 'flex',
              alignItems: 'center',
              gap: 1,
              py: 0.5,
              borderTop: 1,
              borderColor: 'divider',
            }}
          >
            <Box component="span" sx={{ flexGrow: 1, overflowWrap: 'anywhere' }}>
              {name}
            </Box>
            {may ? (
              <InlineNumber
                value={ratio}
                min={0}
                max={RATIO_MAX}
                decimals
                label={t('ratioOf', { name })}
                onSave={(next) =>
                  setRatio.mutate(
                    { id, ratio: next },
                    {
                      onSuccess: () => notify('success', t('ratioSaved', { name, ratio: next })),
                      onError: notifyError,
                    },
                  )
                }
              />
            ) : (
              `×${ratio}`
            )}
          </Box>
        ))}
      </Box>
    </Box>
  );
}
