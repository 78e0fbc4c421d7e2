import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import Typography from '@mui/material/Typography';
import { IconSearch } from '@tabler/icons-react';
import { useDeferredValue, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/mono.tsx';
import { type BulkPick, customNames, pickInSight, selectedModels } from './model-selection.ts';

interface ModelSelectorProps {
  /** Models that the provider lists. */
  offered: readonly string[];
  /** Models that the form has now. */
  chosen: readonly string[];
  onChoose: (models: string[]) => void;
  onClose: () => void;
}

/** Chooses among the models that a vendor lists; names of one's own stay. */
export function ModelSelector({ offered, chosen, onChoose, onClose }: ModelSelectorProps) {
  const { t } = useTranslation(['channels', 'common']);
  const titleId = useId();
  const [search, setSearch] = useState('');
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set(chosen));
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const inSight = offered.filter((model) => model.toLowerCase().includes(wanted));
  const custom = customNames(offered, chosen);
  const next = selectedModels(offered, chosen, picked);
  const toggle = (model: string) => setPicked(pickInSight(picked, [model], 'invert'));
  const bulk = (how: BulkPick) => (
    <Button size="small" color="inherit" onClick={() => setPicked(pickInSight(picked, inSight, how))}>
      {t(`pick.${how}`)}
    </Button>
  );
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="sm" fullWidth>
      <DialogTitle id={titleId}>{t('selectTitle', { count: offered.length })}</DialogTitle>
      <Box sx={{ px: 3, pb: 1, display: 'grid', gap: 1 }}>
        <OutlinedInput
          autoFocus
          type="search"
          value={search}
          placeholder={t('searchModels')}
          onChange={(event) => setSearch(event.target.value)}
          inputProps={{ 'aria-label': t('searchModels') }}
          startAdornment={
            <InputAdornment position="start">
              <IconSearch size={16} />
            </InputAdornment>
          }
        />
        <Box sx={{ display: 'flex', gap: 0.5, flexWrap: 'wrap' }}>
          {bulk('all')}
          {bulk('none')}
          {bulk('invert')}
        </Box>
      </Box>
      <DialogContent dividers sx={{ height: '48vh', px: 2, py: 1 }}>
        {inSight.length === 0 ? (
          <Typography sx={{ p: 3, textAlign: 'center', color: 'text.secondary' }}>{t('noModels')}</Typography>
        ) : (
          inSight.map((model) => (
            <Box
              component="label"
              key={model}
              sx={{
                display: 'flex',
                alignItems: 'center',
                minHeight: { xs: 40, md: 32 },
                borderRadius: 1,
                cursor: 'pointer',
                // Vendors list hundreds; the ones out of sight are not laid out.
                contentVisibility: 'auto',
                containIntrinsicSize: 'auto 32px',
                '&:hover': { bgcolor: 'neutral.soft' },
              }}
            >
              <Checkbox checked={picked.has(model)} onChange={() => toggle(model)} />
              <Mono>{model}</Mono>
            </Box>
          ))
        )}
      </DialogContent>
      <DialogActions>
        <Typography
          variant="body2"
          sx={{ flexGrow: 1, pl: 2, color: 'text.secondary' }}
          title={custom.join(', ')}
        >
          {custom.length > 0 && t('customKept', { count: custom.length })}
        </Typography>
        <Button onClick={onClose} color="inherit">
          {t('common:cancel')}
        </Button>
        <Button variant="contained" onClick={() => onChoose(next)}>
          {t('useModels', { count: next.length })}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
