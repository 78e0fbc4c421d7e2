/** Colours of the console. design-tokens.test.ts recomputes their contrast; change a value in both places. */
interface StateColour {
  main: string;
  soft: string;
}

export interface Scheme {
  background: string;
  paper: string;
  raised: string;
  border: string;
  text: string;
  textSecondary: string;
  textDisabled: string;
  primary: string;
  onPrimary: string;
  primarySoft: string;
  onPrimarySoft: string;
  success: StateColour;
  warning: StateColour;
  error: StateColour;
  info: StateColour;
  neutralSoft: string;
  onNeutralSoft: string;
  series: readonly string[];
}

export const light: Scheme = {
  background: '#F6F7F9',
  paper: '#FFFFFF',
  raised: '#FFFFFF',
  border: '#E3E6EB',
  text: '#14181F',
  textSecondary: '#545D6B',
  textDisabled: '#7A8494',
  primary: '#2F55D4',
  onPrimary: '#FFFFFF',
  primarySoft: '#E8EDFC',
  onPrimarySoft: '#2446B5',
  success: { main: '#18794E', soft: '#E3F4EA' },
  warning: { main: '#8A5300', soft: '#FFF1D6' },
  error: { main: '#BF2A1D', soft: '#FDE9E7' },
  info: { main: '#0B6A93', soft: '#E0F2FA' },
  neutralSoft: '#ECEEF2',
  onNeutralSoft: '#454D5A',
  series: ['#2F55D4', '#0E8A7D', '#B3560B', '#8A3FC4', '#C2266E', '#4F7A12', '#0B7FB8', '#7A6A00'],
};

export const dark: Scheme = {
  background: '#0E1116',
  paper: '#151A21',
  raised: '#1B212A',
  border: '#262D38',
  text: '#E8EBF0',
  textSecondary: '#A3ADBB',
  textDisabled: '#7C8796',
  primary: '#8BA6FF',
  onPrimary: '#0B1020',
  primarySoft: '#1B2546',
  onPrimarySoft: '#B4C5FF',
  success: { main: '#4CC38A', soft: '#12291F' },
  warning: { main: '#F0B429', soft: '#2C2209' },
  error: { main: '#FF8F85', soft: '#35191A' },
  info: { main: '#5CC8F2', soft: '#0F2833' },
  neutralSoft: '#222934',
  onNeutralSoft: '#C3CAD5',
  series: ['#8BA6FF', '#3CCBB9', '#F3A15C', '#C79BFF', '#FF8FBF', '#A5D15A', '#63C5F5', '#E0CB4C'],
};

export const drawerWidth = 260;
export const topBarHeight = { phone: 64, wide: 88 };
export const contentWidth = 1400;

/** Font for keys, ids, models and JSON. */
export const monoFont = '"Roboto Mono Variable", ui-monospace, "SF Mono", Menlo, Consolas, monospace';
