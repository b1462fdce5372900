declare module 'virtual:libraries' {
  const terms: import('../../../libraries').Terms[];
  export default terms;
}
