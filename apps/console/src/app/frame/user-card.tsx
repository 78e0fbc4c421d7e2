import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { useSelf } from '../../features/accounts/session/queries.ts';
import { useGroupName } from '../../features/accounts/user-groups/queries.ts';
import { UserAvatar } from '../../ui/display/user-avatar.tsx';
import { useFormat } from '../../ui/format/use-format.ts';

/** Shows the signed-in user and the remaining balance. */
export function UserCard() {
  const { t } = useTranslation('shell');
  const format = useFormat();
  const self = useSelf();
  const groupName = useGroupName();
  if (self === null) return null;
  const total = self.quota + self.used_quota;
  const used = total > 0 ? Math.min(1, Math.max(0, self.used_quota / total)) : 0;
  const name = self.display_name === '' ? self.username : self.display_name;
  return (
    <Box sx={{ p: 1.5, borderRadius: 1.5, border: 1, borderColor: 'divider', bgcolor: 'background.paper' }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.25 }}>
        <UserAvatar name={name} url={self.avatar_url} />
        <Box sx={{ minWidth: 0 }}>
          <Typography sx={{ fontWeight: 500 }} noWrap>
            {name}
          </Typography>
          <Typography variant="caption" component="p" sx={{ color: 'text.secondary' }} noWrap>
            {groupName(self.group)}
          </Typography>
        </Box>
      </Box>
      <Box
        sx={{ display: 'flex', alignItems: 'baseline', gap: 1, mt: 1.25, fontVariantNumeric: 'tabular-nums' }}
      >
        <Typography sx={{ fontWeight: 600, color: self.quota < 0 ? 'error.main' : 'text.primary' }}>
          {format.points(self.quota)}
        </Typography>
        <Typography variant="caption" sx={{ color: 'text.secondary', ml: 'auto' }}>
          {t('used', { amount: format.points(self.used_quota) })}
        </Typography>
      </Box>
      <LinearProgress
        variant="determinate"
        value={Math.round(used * 100)}
        color={used > 0.85 ? 'error' : used > 0.6 ? 'warning' : 'primary'}
        aria-label={t('usedShare', { share: format.percent(used) })}
        sx={{ height: 4, borderRadius: 1, mt: 0.75, bgcolor: 'neutral.soft' }}
      />
    </Box>
  );
}
