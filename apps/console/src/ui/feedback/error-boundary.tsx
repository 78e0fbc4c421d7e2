import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { Component, lazy, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  children: ReactNode;
  /** Another value starts afresh, for instance the address. */
  resetKey?: string;
}

/** Keeps a broken part from taking the whole screen with it. */
export class ErrorBoundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(previous: Props) {
    if (previous.resetKey !== this.props.resetKey && this.state.error !== undefined) this.retry();
  }

  retry = () => this.setState({ error: undefined });

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return <FailedScreen error={this.state.error} onRetry={this.retry} />;
  }
}

const ErrorPanel = lazy(() =>
  import('./error-panel.tsx').then(({ ErrorPanel }) => ({ default: ErrorPanel })),
);

/** A failure in the place of a screen. When the server has other files by now, only a reload helps. */
export function FailedScreen({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (isOutdated(error)) return <OutdatedPanel />;
  return (
    <Suspense fallback={null}>
      <ErrorPanel error={error} onRetry={onRetry} />
    </Suspense>
  );
}

/** Messages of browsers and of the build's loader when a file of the console cannot be loaded. */
const missingFile = /dynamically imported module|importing a module script failed|unable to preload css/i;

/** Returns whether a part of the console could not be loaded, usually because the server has a newer console by now. */
function isOutdated(error: unknown): boolean {
  return error instanceof Error && missingFile.test(error.message);
}

/** Needs nothing that would have to be loaded: loading is what failed. */
function OutdatedPanel() {
  const { t } = useTranslation();
  return (
    <Box
      role="alert"
      sx={{
        display: 'grid',
        justifyItems: 'start',
        gap: 1,
        p: 2,
        borderRadius: 1,
        border: 1,
        borderColor: 'divider',
        bgcolor: 'background.raised',
      }}
    >
      <Typography variant="h2">{t('outdated.title')}</Typography>
      <Typography>{t('outdated.text')}</Typography>
      <Button variant="contained" onClick={() => location.reload()}>
        {t('outdated.reload')}
      </Button>
    </Box>
  );
}
