import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Number of buttons that fit above the table without pushing it down. */
const SHOWN = 5;

interface PriceTask {
  key: string;
  /** Accessible label of the button. */
  label: string;
  icon: ReactNode;
  name: ReactNode;
  onClick: () => void;
}

/** Shows a warning with a button for each price that needs attention, if there are any. */
export function PriceWarning({
  message,
  tasks,
  children,
}: {
  message: string;
  tasks: readonly PriceTask[];
  /** Content after the buttons. */
  children?: ReactNode;
}) {
  const { t } = useTranslation('prices');
  const [everyOne, setEveryOne] = useState(false);
  if (tasks.length === 0) return null;
  const shown = everyOne ? tasks : tasks.slice(0, SHOWN);
  return (
    <Alert severity="warning" sx={{ mb: 1.5, py: 0.25 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        {message}
        {shown.map(({ key, label, icon, name, onClick }) => (
          <Button
            key={key}
            size="small"
            variant="outlined"
            color="inherit"
            startIcon={icon}
            aria-label={label}
            onClick={onClick}
            sx={{ fontSize: '0.75rem', textTransform: 'none', gap: 0.5 }}
          >
            {name}
          </Button>
        ))}
        {tasks.length > shown.length && (
          <Button size="small" color="inherit" onClick={() => setEveryOne(true)}>
            {t('showMore', { count: tasks.length - shown.length })}
          </Button>
        )}
        {children}
      </Box>
    </Alert>
  );
}
