/* SPDX-License-Identifier: MIT */
/*
 * A private release: a file that may be handed out, because it hides whether any one key is in it. Its price is that
 * some members are missed and some other keys are accepted, as the claim in the file says.
 *
 *     cc private_release.c $(pkg-config --cflags --libs ultrafilter) -o private_release
 *
 * Releasing the set again, changed or not, costs epsilon again: uf_ledger_charge keeps the account.
 */
#include <stdio.h>
#include <ultrafilter.h>

/* The owner's side. n, the capacity, becomes public: declare it, do not count. */
static int publish(const char *path, const uf_key *keys, size_t count, uf_error *why)
{
    uf_spec spec;
    uf_filter *filter;
    int status = uf_spec_parse("dpset:n=20000,epsilon=3", &spec, why);
    if (status == UF_OK)
        status = uf_build(&spec, keys, count, NULL, &filter, why);
    if (status != UF_OK)
        return status;
    status = uf_save(filter, path, UF_FORMAT_UF, why);
    uf_free(filter);
    return status;
}

/* Everybody's side: what the file promises, and what it answers. */
static int use(const char *path, const uf_key *keys, size_t count, uf_error *why)
{
    uf_filter *filter;
    uf_claim claim;
    int status = uf_load(path, UF_FORMAT_UF, NULL, &filter, why);
    if (status != UF_OK)
        return status;
    uf_get_claim(filter, &claim, sizeof claim);
    printf("promise: epsilon %.4f (%s)\n", claim.epsilon, claim.unit);
    printf("not protected: %s\n", claim.not_protected);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += (size_t)uf_query(filter, keys[i]);
    printf("members missed: %.2f %% claimed, %.2f %% seen\n", 100 * claim.fnr,
           100 * (double)(count - found) / (double)count);
    uf_free(filter);
    return UF_OK;
}

int main(void)
{
    static char names[15000][16]; /* stands for the list that nobody may learn about */
    static uf_key keys[15000];
    uf_error why;
    for (size_t i = 0; i < 15000; i++)
        keys[i] = (uf_key){names[i], (size_t)snprintf(names[i], sizeof names[i], "patient-%05zu", i)};
    if (publish("patients.uf", keys, 15000, &why) != UF_OK || use("patients.uf", keys, 15000, &why) != UF_OK)
        return fprintf(stderr, "%s\n", why.text), 1;
}
