import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import ToggleButton from '@mui/material/ToggleButton';
import { COLUMNS_MAX } from '@switchyard/contract/playground/conversation';
import { IconColumns, IconLink, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ModelPicker } from '../settings/model-picker.tsx';

interface ColumnHeadsProps {
  models: readonly string[];
  onChange: (models: string[]) => void;
  /** Model for the column that is added. */
  nextModel: string;
  /** True if the columns are scrolled together. */
  together: boolean;
  onTogether: (together: boolean) => void;
}

/** Whom to ask: one model, or up to three that answer side by side. */
export function ColumnHeads({ models, onChange, nextModel, together, onTogether }: ColumnHeadsProps) {
  const { t } = useTranslation('playground');
  const several = models.length > 1;
  const columns = models.map((model, column) => ({ model, column }));
  return (
    <Box
      sx={{
        display: 'flex',
        flexWrap: { xs: 'wrap', sm: 'nowrap' },
        alignItems: 'center',
        columnGap: { xs: 1, md: 3 },
        rowGap: 1,
        px: { xs: 1.5, md: 2.5 },
        py: 1,
        borderBottom: 1,
        borderColor: 'divider',
      }}
    >
      {columns.map(({ model, column }) => (
        <Box
          key={column}
          sx={{
            display: 'flex',
            alignItems: 'center',
            gap: 0.5,
            flex: { xs: several && column > 0 ? '1 1 75%' : '1 1 60%', sm: 1 },
            minWidth: 0,
          }}
        >
          <ModelPicker
            value={model}
            label={several ? t('modelNumber', { number: column + 1 }) : t('model')}
            onChange={(next) => onChange(models.map((other, index) => (index === column ? next : other)))}
          />
          {several && (
            <IconButton
              size="small"
              aria-label={t('removeColumn', { model })}
              title={t('removeColumn', { model })}
              onClick={() => onChange(models.filter((_, index) => index !== column))}
            >
              <IconX size={16} />
            </IconButton>
          )}
        </Box>
      ))}
      {several && (
        <ToggleButton
          size="small"
          value="together"
          selected={together}
          title={t('scrollTogether')}
          aria-label={t('scrollTogether')}
          onChange={() => onTogether(!together)}
          sx={{ display: { xs: 'none', md: 'inline-flex' }, flexShrink: 0 }}
        >
          <IconLink size={16} />
        </ToggleButton>
      )}
      {models.length < COLUMNS_MAX && (
        <Button
          size="small"
          color="inherit"
          aria-label={t('compare')}
          onClick={() => onChange([...models, nextModel])}
          sx={{ flexShrink: 0, gap: 1, minWidth: 40 }}
        >
          <IconColumns size={16} />
          <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
            {t('compare')}
          </Box>
        </Button>
      )}
    </Box>
  );
}
