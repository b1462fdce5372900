package op

import (
	"context"

	"nexus"
	"nexus/bus"
)

// workOps are hand-offs and tasks.
func workOps(b *bus.Service) []*Op {
	return []*Op{
		Define(Info{
			Name: "handoff_create", Title: "Hand off work", Effect: Write, Family: Bus, Core: true,
			Doc: "Offer a piece of work that exactly one agent should do. Everybody the target allows sees it, the first to claim it has it, and it comes back to the pool if it is abandoned. " +
				"Put the work into payload, or an artifact_id for large content. The creator's inbox gets the outcome; handoff_get reads it.",
		}, b.CreateHandoff),
		Define(Info{
			Name: "handoff_list_available", Title: "Find work", Effect: Read, Family: Bus, Core: true, Wait: "timeout_seconds",
			Doc: "Open work that you may claim, the most urgent first, with its payload. With timeout_seconds above 0 it waits that long for the first piece; without, it does not wait.",
		}, b.Available),
		Define(Info{
			Name: "handoff_claim", Title: "Take work", Effect: Write, Family: Bus, Core: true,
			Doc: "Take a piece of work. One claimant wins; the others get HANDOFF_ALREADY_CLAIMED. It is yours until lease_expires_at: finish it, or handoff_renew. Keep attempt and pass it when you finish.",
		}, b.Claim),
		Define(Info{
			Name: "handoff_renew", Title: "Keep work longer", Effect: Write, Family: Bus,
			Doc: "Prolong your claim. LEASE_LOST (with attempt) or INVALID_TRANSITION means that somebody else may have it now: drop the work.",
		}, b.Renew),
		Define(Info{
			Name: "handoff_complete", Title: "Finish work", Effect: Write, Family: Bus, Core: true,
			Doc: "Finish work that you claimed, with a result. If somebody is to verify it, its status is VERIFYING until they accept it.",
		}, b.Complete),
		Define(Info{
			Name: "handoff_reject", Title: "Decline work", Effect: Write, Family: Bus,
			Doc: "Give back for good what you claimed, or decline work directed to you. Say why: the creator is told.",
		}, b.Reject),
		Define(Info{
			Name: "handoff_cancel", Title: "Take work back", Effect: Write, Family: Bus,
			Doc: "Take back work that you offered and nobody has claimed.",
		}, b.Cancel),
		Define(Info{
			Name: "handoff_get", Title: "Read a hand-off", Effect: Read, Family: Bus,
			Doc: "One hand-off with status, claimant, payload and result: how the creator reads an outcome.",
		}, b.ReadHandoff),
		Define(Info{
			Name: "handoff_verify", Title: "Verify work", Effect: Write, Family: Bus,
			Doc: "Judge finished work against its acceptance criteria: accept completes it, reject sends it back to its claimant with your feedback.",
		}, b.Verify),
		Define(Info{
			Name: "handoff_requeue", Title: "Offer work again", Effect: Write, Family: Bus,
			Doc: "Offer your work again after it was parked, rejected or overdue.",
		}, b.Requeue),

		Define(Info{
			Name: "task_create", Title: "Note a task", Effect: Write, Family: Bus,
			Doc: "Note something to be done, with parent, dependencies, priority, labels and assignee. Hand-offs that get it done may name it.",
		}, b.CreateTask),
		Define(Info{
			Name: "task_update", Title: "Change a task", Effect: Write, Family: Bus,
			Doc: "Change what you give and keep the rest. A blocked task needs a reason; a finished one can only be opened again.",
		}, b.UpdateTask),
		Define(Info{
			Name: "task_get", Title: "Read a task", Effect: Read, Family: Bus,
			Doc: "One task.",
		}, b.ReadTask),
		Define(Info{
			Name: "task_list", Title: "List tasks", Effect: Read, Family: Bus,
			Doc: "Tasks of a workspace, the most urgent first. status ready selects open ones that wait for nothing.",
		}, b.Tasks),
	}
}

// shimOps answer for tools that are gone: whatever the arguments, they say what
// to call instead.
func shimOps() []*Op {
	var ops []*Op
	for _, shim := range []struct {
		name, instead string
		replacements  []string
	}{
		{"message_get", "inbox_pull takes your mail, inbox_peek looks without taking, inbox_history has what you acknowledged; event_get shows the traffic of the bus.", []string{"inbox_pull", "inbox_peek", "inbox_history", "event_get"}},
		{"message_list", "inbox_peek lists what waits for you, inbox_history what you acknowledged; event_get shows the traffic of the bus.", []string{"inbox_peek", "inbox_history", "event_get"}},
		{"message_wait", "inbox_count between turns, then inbox_pull; inbox_wait or event_wait if you want to wait.", []string{"inbox_count", "inbox_pull", "inbox_wait", "event_wait"}},
	} {
		ops = append(ops, Define(Info{
			Name: shim.name, Title: "Gone", Effect: Read, Family: Bus, AnyArguments: true,
			Doc: "Gone. " + shim.instead,
		}, func(context.Context, bus.None) (bus.None, error) {
			return bus.None{}, nexus.Errorf(nexus.Migrated, "%s is gone. %s", shim.name, shim.instead).
				With("replacements", shim.replacements).With("removed_in", "S3")
		}))
	}
	return ops
}
