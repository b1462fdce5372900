import { Thing } from '../Thing';

export default function Shown({ id }: { id: string }) {
  return (
    <Thing kind="workspace" id={id} data={{ id }} title={id}>
      {null}
    </Thing>
  );
}
