import { setTheme, useTheme } from '@/app/theme';
import { Segmented } from '@/look/Button';

/** Light, dark, or as the system has it. This browser keeps it. */
export function Appearance() {
  const theme = useTheme();
  return (
    <Segmented
      label="Theme"
      value={theme}
      options={[
        ['light', 'Light'],
        ['dark', 'Dark'],
        ['system', 'As the system'],
      ]}
      onChange={setTheme}
    />
  );
}
