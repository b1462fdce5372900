import { Thing } from '../Thing';

export default function Shown({ id }: { id: string }) {
  return (
    <Thing kind="handoff" id={id} data={{ id }} title={id}>
      {null}
    </Thing>
  );
}
