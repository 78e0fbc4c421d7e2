import { Component, type ReactNode } from 'react';
import { FailedScreen } from './failed-screen.tsx';

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
