import { Thing } from '../Thing';

export default function Shown({ id }: { id: string }) {
  return (
    <Thing kind="artifact" id={id} data={{ id }} title={id}>
      {null}
    </Thing>
  );
}
