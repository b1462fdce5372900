import { Empty } from '@/look/Empty';

export default function Page() {
  return <Empty title="Being built" />;
}
