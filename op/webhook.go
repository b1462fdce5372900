package op

import "nexus/hub"

// webhookOps are the programs that are told of what happens.
func webhookOps(h *hub.Service) []*Op {
	const faces = REST | RPC | CLI
	return []*Op{
		Define(Info{
			Name: "webhook_list", Title: "List webhooks", Effect: Read, Family: Bus, Faces: faces,
			Route: "GET /webhooks",
			Doc:   "Every webhook, with how it stands. Secrets are not shown.",
		}, h.Webhooks),
		Define(Info{
			Name: "webhook_get", Title: "Look up a webhook", Effect: Read, Family: Bus, Faces: faces,
			Route: "GET /webhooks/{webhook_id}",
			Doc:   "One webhook: what it is told of, up to which event it was told, how often in a row it could not be, and why it was switched off if it was.",
		}, h.Webhook),
		Define(Info{
			Name: "webhook_create", Title: "Create a webhook", Effect: Danger, Family: Bus, Faces: faces, Secret: true,
			Route: "POST /webhooks",
			Doc: "Have events sent to an address from now on: each that matches, in order, at least once, as a signed POST. " +
				"The secret to verify the signatures with is shown only in this answer.",
		}, h.CreateWebhook),
		Define(Info{
			Name: "webhook_update", Title: "Change a webhook", Effect: Danger, Family: Bus, Faces: faces,
			Route: "PATCH /webhooks/{webhook_id}",
			Doc: "Change what is given and keep the rest. is_active false pauses; true goes on where it stopped, at once and with no failures counted, " +
				"also after the webhook was switched off for failing.",
		}, h.UpdateWebhook),
		Define(Info{
			Name: "webhook_delete", Title: "Delete a webhook", Effect: Danger, Family: Bus, Faces: faces,
			Route: "DELETE /webhooks/{webhook_id}",
			Doc:   "Delete a webhook and the record of its attempts. A request that is under way still arrives.",
		}, h.DeleteWebhook),
		Define(Info{
			Name: "webhook_rotate_secret", Title: "Give a webhook a new secret", Effect: Danger, Family: Bus, Faces: faces, Secret: true,
			Route: "POST /webhooks/{webhook_id}/rotate-secret",
			Doc:   "Give a webhook a new secret. Requests are signed with it at once; it is shown only in this answer.",
		}, h.RotateWebhookSecret),
		Define(Info{
			Name: "webhook_test", Title: "Test a webhook", Effect: Danger, Family: Bus, Faces: faces,
			Route: "POST /webhooks/{webhook_id}/test",
			Doc:   "Send a webhook.test event now and see how it went: status, took_ms, and error where it did not go well. It counts as no failure.",
		}, h.TestWebhook),
		Define(Info{
			Name: "webhook_attempts", Title: "See what was sent", Effect: Read, Family: Bus, Faces: faces,
			Route: "GET /webhooks/{webhook_id}/attempts",
			Doc:   "The last hundred times a webhook was told or was not, newest first. Pass next_cursor back for older ones.",
		}, h.WebhookAttempts),
	}
}
