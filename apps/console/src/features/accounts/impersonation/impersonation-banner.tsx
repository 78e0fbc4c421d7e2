import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { Self } from '@switchyard/contract/accounts/profile';
import { IconEye } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useCountdown } from '../../../ui/format/use-countdown.ts';
import { endImpersonation } from './queries.ts';

interface ImpersonationBannerProps {
  self: Self;
  impersonation: NonNullable<Self['impersonation']>;
}

/** Shows root, the impersonated user, the remaining time and a button that ends the impersonation. */
export function ImpersonationBanner({ self, impersonation: { by, seconds_left } }: ImpersonationBannerProps) {
  const { t } = useTranslation('impersonation');
  const notifyError = useNotifyError();
  const [ending, setEnding] = useState(false);
  const [left] = useCountdown(seconds_left);
  const over = left === 0;
  const { id } = self;
  useEffect(() => {
    if (over) void endImpersonation(id).catch(notifyError);
  }, [over, id, notifyError]);
  const end = async () => {
    setEnding(true);
    try {
      await endImpersonation(id);
    } catch (error) {
      setEnding(false);
      notifyError(error);
    }
  };
  return (
    <Box
      component="aside"
      aria-label={t('label')}
      sx={{
        position: 'sticky',
        bottom: 0,
        zIndex: (theme) => theme.zIndex.drawer + 1,
        display: 'flex',
        alignItems: 'center',
        gap: { xs: 1, sm: 1.5 },
        px: { xs: 1.5, md: 2 },
        py: 0.75,
        minHeight: 48,
        fontSize: '0.8125rem',
        bgcolor: 'warning.soft',
        color: 'warning.main',
        borderTop: 1,
        borderColor: 'warning.main',
      }}
    >
      <Box sx={{ display: { xs: 'none', sm: 'block' }, lineHeight: 0 }}>
        <IconEye size={18} />
      </Box>
      <Box sx={{ flexGrow: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
        {t('acting', { by: isolateBidi(by), name: isolateBidi(self.username) })}
      </Box>
      <Box sx={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
        {t('left', { count: Math.ceil(left / 60) })}
      </Box>
      <Button size="small" variant="outlined" color="inherit" loading={ending} onClick={() => void end()}>
        {t('end')}
      </Button>
    </Box>
  );
}
