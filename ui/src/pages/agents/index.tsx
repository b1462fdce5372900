import { useParam } from '@/app/address';
import { useViewCommand } from '@/app/command';
import { Segmented } from '@/look/Button';
import { AgentList } from './AgentList';
import { PresetList } from './PresetList';
import { SignInList } from './SignInList';

const tabs = { agents: AgentList, presets: PresetList, 'sign-ins': SignInList };

/** Who may come in, and what they may do. */
export default function Page() {
  useViewCommand('agent_directory');
  const [asked, setTab] = useParam('tab', 'agents');
  const tab = asked in tabs ? (asked as keyof typeof tabs) : 'agents';
  const Tab = tabs[tab];
  return (
    <Tab
      tabs={
        <Segmented
          label="View"
          value={tab}
          options={[
            ['agents', 'Agents'],
            ['presets', 'Presets'],
            ['sign-ins', 'Sign-ins'],
          ]}
          onChange={setTab}
        />
      }
    />
  );
}
